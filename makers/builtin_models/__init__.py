"""The built-in models: their training texts, architectures, training, and cards."""
