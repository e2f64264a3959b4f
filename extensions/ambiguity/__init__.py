"""Ambiguity: who is found if several people are right, in a text or a collection."""
