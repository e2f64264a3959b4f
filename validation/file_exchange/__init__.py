"""Annotation without a server: tasks as files, judgments from files."""
