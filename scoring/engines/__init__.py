"""The engines that run jobs: this machine, or a Ray cluster. The same jobs give the same scores on both.

With vLLM, jobs run on this machine, one after the other: it uses the first GPU."""

from __future__ import annotations

from typing import Literal

from nextset.artifacts.build import Runner

__all__ = ["engine_of"]


def engine_of(name: Literal["local", "ray", "vllm"]) -> Runner:
    """Return the engine ``name``; if it is not installed, it raises DependencyMissing when it runs parts."""
    if name == "ray":
        from nextset.scoring.engines.ray_data import run_on_ray

        return run_on_ray
    from nextset.scoring.engines.local import run_in_order, run_locally

    return run_in_order if name == "vllm" else run_locally
