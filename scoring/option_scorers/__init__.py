"""Questions with options: multiple-choice models, extractive readers and NLI models as scorers."""
