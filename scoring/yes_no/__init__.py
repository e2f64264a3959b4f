"""NLI items as yes/no questions: extractive readers, and models that choose among answers."""
