"""The report of an audit: one self-contained page with findings, figures, tables and an explorer of items."""
