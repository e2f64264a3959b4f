"""The folder of a dataset version: its manifest, its files with their hashes, and how it is written."""
