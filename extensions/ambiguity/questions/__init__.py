"""Questions with several right answers: their files, the people in their contexts, new names by group."""
