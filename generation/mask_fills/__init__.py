"""A model fills the masks of hypotheses."""
