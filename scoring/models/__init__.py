"""Models: where they are found, how they are loaded, and what their outputs mean."""
