"""Templates become items, and language packs become question sets."""
