"""The treatment of each form of rows in validation: units, pages, answers and gold items."""
