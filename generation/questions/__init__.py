"""Language packs become UnQover's underspecified questions and masked statements (Li et al. 2020)."""

from __future__ import annotations

__all__: list[str] = []
