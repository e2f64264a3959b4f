"""Where models lie, how they are loaded, what their outputs mean."""
