"""Audits of a dataset by itself, without a study: a dataset version, or published predictions."""
