"""Licences: the Hub's abbreviations and SPDX's identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["is_license_id", "license_ids", "spdx_id", "spdx_url"]

_SPDX: Mapping[str, str] = {
    identifier.lower(): identifier
    for identifier in (
        "Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0",
        "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-NC-2.0", "CC-BY-NC-3.0", "CC-BY-NC-4.0",
        "CC-BY-ND-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0",
        "CC-BY-NC-SA-4.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0", "CDLA-Sharing-1.0", "GPL-2.0",
        "GPL-3.0", "LGPL-3.0", "AGPL-3.0", "MPL-2.0", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0", "Unlicense",
    )
} | {"odbl": "ODbL-1.0", "odc-by": "ODC-By-1.0", "pddl": "PDDL-1.0"}  # fmt: skip
"""SPDX's identifiers by the Hub's abbreviations."""


_ONLY_ON_THE_HUB = (
    "apple-amlr", "apple-ascl", "bigcode-openrail-m", "bigscience-bloom-rail-1.0", "bigscience-openrail-m",
    "bsd", "c-uda", "cc", "creativeml-openrail-m", "deepfloyd-if-license", "gemma", "gfdl", "gpl", "lgpl",
    "lgpl-lr", "llama2", "llama3", "llama3.1", "llama3.2", "llama3.3", "llama4", "odbl", "odc-by", "openrail",
    "openrail++", "other", "pddl", "unknown",
)  # fmt: skip
"""Identifiers of the Hub (huggingface.co/docs/hub/repositories-licenses) that are not SPDX's."""


def license_ids() -> Sequence[str]:
    """Return the most common identifiers, in lower case, as the Hub writes them."""
    return sorted({*_SPDX, *_ONLY_ON_THE_HUB})


def is_license_id(license_: str) -> bool:
    """Return whether ``license_`` is a single identifier of SPDX or of the Hub, in upper or lower case."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    written = license_.lower()
    if written in _ONLY_ON_THE_HUB:
        return True
    try:
        canonicalize_license_expression(written)
    except InvalidLicenseExpression:
        return False
    return " " not in written and "(" not in written and not written.startswith("licenseref-")


def spdx_id(license_: str) -> str | None:
    """Return the SPDX identifier of a licence as the Hub abbreviates it, or None if it is unknown."""
    return _SPDX.get(license_.strip().lower())


def spdx_url(license_: str) -> str | None:
    """Return the URL of the licence's text at SPDX, or None if it is unknown."""
    identifier = spdx_id(license_)
    return None if identifier is None else f"https://spdx.org/licenses/{identifier}.html"
