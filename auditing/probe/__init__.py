"""The probe: the answers of models to one pair, or one quad, that you type."""
