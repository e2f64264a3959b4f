"""Training: models made from data, yours by `nextset train` and those that come with nextset."""
