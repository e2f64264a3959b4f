"""NLI items as yes/no questions: readers of spans, and models that choose among answers."""
