"""Evaluation of models and of published predictions on data with correct answers."""
