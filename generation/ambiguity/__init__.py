"""Questions with several right answers: read, their people found in the contexts, names replaced by group."""
