"""Versions: version numbers, the difference between two versions, the changelog, withdrawn items."""
