"""The measures of an audit, as objects: entries of an open table that other packages extend."""
