"""The audit: measures of models on a dataset, with tables, plots and a report."""
