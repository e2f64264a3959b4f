"""Artifacts: the folders that stages write, made so that a stopped run resumes."""
