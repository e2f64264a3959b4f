"""Training: models made from data. `nextset train` makes yours, `python -m nextset.training` the built-in ones."""
