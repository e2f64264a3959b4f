"""Dataset × models become measures, tables, plots and a report."""
