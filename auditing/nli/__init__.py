"""NLI items: the models' labels become counts by template, and these become measures."""
