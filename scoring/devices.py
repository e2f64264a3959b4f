"""What models work on."""

from __future__ import annotations

__all__ = ["device_type"]


def device_type() -> str:
    """cuda where torch finds a GPU, else cpu. Scores of the two are kept apart: they differ in their last digits."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
