"""UnQover's quads: four inputs a row, eight scores, and what these say together."""
