"""Retrieval: collections of passages, searched by words (BM25) and by vectors (dense encoders)."""
