"""Models behind an OpenAI-compatible server: requests, limits, answers."""
