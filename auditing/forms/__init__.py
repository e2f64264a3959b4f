"""What an audit does with the rows of each form, one module per family of forms."""
