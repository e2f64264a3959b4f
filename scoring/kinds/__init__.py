"""The kinds of models, one module each: the forms that they can be asked about, and their scorers."""
