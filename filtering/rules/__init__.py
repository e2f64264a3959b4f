"""The filter rules, one class each: value, checks, words and decision."""
