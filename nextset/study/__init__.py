"""A study: its folder, study.yaml with the settings of each section, and the item tables in it."""
