"""HTML reports: style, plots, and the content warning."""
