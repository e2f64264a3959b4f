"""The pages of this extension."""
