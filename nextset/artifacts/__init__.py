"""Artifacts: the folders that stages write, built so that a stopped run can resume."""
