"""The dataset card: README.md, its tables and plots, Croissant metadata, CITATION.cff."""
