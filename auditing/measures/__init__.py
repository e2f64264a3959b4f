"""The measures of an audit, one per file; each is a pure function of arrays."""
