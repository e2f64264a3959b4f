"""The forms of the candidates: everything in the filter that differs by form, one module each."""
