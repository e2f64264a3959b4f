"""Prompts: the wordings of questions to models that write, and the texts of answers."""
