"""Training: models made from data. `python -m nextset.training` makes the built-in ones."""
