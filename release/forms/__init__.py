"""The forms of released rows: one module for each family, with everything that differs by form."""
