"""Choice items: the options that models choose become counts by template and group, then measures."""
