"""Rules for words that change with the sound of the next word, such as *a* and *an*."""
