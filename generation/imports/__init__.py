"""Your own pairs, or those of an earlier release, become items of a study."""
