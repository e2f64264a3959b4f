"""Questions about a text: extractive readers answer with its spans, models that write in their own words."""
