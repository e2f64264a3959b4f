"""Extractive readers: the spans of given subjects, and free answers."""
