"""Questions with options (BBQ), from templates of language packs, and from published templates and items."""
