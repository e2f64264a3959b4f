"""Training: models made from data, your own by `nextset train` and the models that come with nextset."""
