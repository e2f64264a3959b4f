"""Models: where they are found, how they are loaded, what their outputs mean."""
