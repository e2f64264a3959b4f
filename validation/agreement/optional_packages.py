"""The optional statistics packages of nextset[validate], imported only when needed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from nextset.errors import DependencyMissing

__all__ = ["INSTALL", "statistics_installed", "statistics_package"]

INSTALL = "pip install 'nextset[validate]'"

_MODULES = {
    "statsmodels": "statsmodels.stats.inter_rater",
    "crowd-kit": "crowdkit.aggregation",
}


def statistics_package(name: str) -> Any:
    """Return the module of statsmodels or crowd-kit; raises DependencyMissing without it."""
    try:
        return importlib.import_module(_MODULES[name])
    except ImportError:
        raise DependencyMissing(f"this needs {name}, which is not installed", remedy=INSTALL) from None


def statistics_installed() -> bool:
    """Return whether statsmodels, which the two κ need, is installed."""
    return importlib.util.find_spec("statsmodels") is not None
