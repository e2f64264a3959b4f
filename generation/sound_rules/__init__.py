"""Words that change with the sound of the next word."""
