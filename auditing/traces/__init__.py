"""Measures of the thinking that models show before their answers."""
