"""Occlusion: how a measure changes when one word or token of a text is erased or masked."""
