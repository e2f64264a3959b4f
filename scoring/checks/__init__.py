"""What is checked of a model before it is asked much."""
