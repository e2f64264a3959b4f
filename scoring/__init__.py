"""Items become model scores: the kinds of models, jobs, score tables."""
