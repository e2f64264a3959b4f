"""What models work on."""

from __future__ import annotations

__all__ = ["device_type"]


def device_type() -> str:
    """cuda where torch finds a GPU, else cpu. Scores of the two differ slightly, and are kept apart."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
