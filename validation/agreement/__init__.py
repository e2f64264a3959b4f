"""Statistics of judgments: how far people agree, who errs, and what a unit's votes say together."""
