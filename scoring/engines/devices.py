"""The type of device that models run on."""

from __future__ import annotations

import functools
import importlib.util
import os
import runpy
from pathlib import Path
from typing import Literal

__all__ = ["device_type"]


def device_type(engine: Literal["local", "ray", "vllm"] = "local") -> str:
    """Return cuda if models will find a GPU, else cpu.

    Scores of the two differ slightly and are stored separately. With ``engine`` ray and a cluster at
    RAY_ADDRESS, the cluster's devices count, not this machine's. Raises DependencyMissing without Ray, and
    NextsetError if the cluster does not answer.
    """
    if engine == "ray" and os.environ.get("RAY_ADDRESS", "local") != "local":
        from nextset.scoring.engines.ray_cluster import has_gpus

        return "cuda" if has_gpus(os.environ["RAY_ADDRESS"]) else "cpu"
    if _is_without_gpus():
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


@functools.cache
def _is_without_gpus() -> bool:
    """Return True if torch's own file says that it was built for CPUs only; importing torch takes seconds."""
    torch = importlib.util.find_spec("torch")
    built = runpy.run_path(str(Path(torch.origin).with_name("version.py"))) if torch and torch.origin else {}
    return {"cuda", "hip"} <= built.keys() and built["cuda"] is None and built["hip"] is None
