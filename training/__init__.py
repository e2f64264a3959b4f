"""How the built-in models are made: `python -m nextset.training`."""
