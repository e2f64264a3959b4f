"""Overlap: duplicates in a release, with earlier versions, and with data that models may have seen."""
