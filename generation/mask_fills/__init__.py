"""A masked language model fills the masks of hypotheses."""
