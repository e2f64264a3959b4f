"""Published templates of BBQ and its ports, read and expanded into choice items."""
