"""The templates of choices in language packs: choice/NAME.yaml, expanded into sets of choice items."""
