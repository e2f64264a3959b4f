"""The packages of nextset[validate] that reckon for this folder, imported late."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from nextset.errors import DependencyMissing

__all__ = ["INSTALL", "statistics_installed", "statistics_package"]

INSTALL = "pip install 'nextset[validate]'"

_MODULES = {
    "krippendorff": "krippendorff",
    "statsmodels": "statsmodels.stats.inter_rater",
    "crowd-kit": "crowdkit.aggregation",
}


def statistics_package(name: str) -> Any:
    """The module of krippendorff, statsmodels or crowd-kit; raises DependencyMissing without it."""
    try:
        return importlib.import_module(_MODULES[name])
    except ImportError:
        raise DependencyMissing(f"this needs {name}, which is not installed", remedy=INSTALL) from None


def statistics_installed() -> bool:
    """Whether the coefficients beyond per cent can be reckoned here."""
    found = (importlib.util.find_spec(name) for name in ("krippendorff", "statsmodels"))
    return all(found)
