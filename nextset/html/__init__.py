"""HTML reports: their look, their plots, and the content warning."""
