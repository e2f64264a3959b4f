"""Whom retrievers find in a collection, and whether readers amplify it (Mao et al. 2021)."""
