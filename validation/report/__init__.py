"""The report on a validation: how far people are, how they agree, and what they were shown."""
