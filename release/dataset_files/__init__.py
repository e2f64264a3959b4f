"""The files of a dataset version: Parquet with typed features, splits, CSV and JSONL."""
