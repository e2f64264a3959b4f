"""The lint rules for the templates of choices in a language pack."""
