"""CITATION.cff of a dataset version (Citation File Format 1.2.0)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nextset.release.dataset_card.license_ids import spdx_id
from nextset.release.forms.released_form import released_form
from nextset.release.markdown_escape import readable

__all__ = ["citation_bytes", "cited_author"]

_GROUPS = frozenset(
    (
        "association", "consortium", "corporation", "foundation", "group", "inc", "institute", "lab",
        "laboratory", "network", "project", "society", "team", "university",
    )
)  # fmt: skip
"""Words at the start or end of organisations' names."""


def citation_bytes(
    *, name: str, version: str, license_: str, authors: Sequence[str], kinds: Iterable[str]
) -> bytes:
    """Return CITATION.cff. It has no date, so that the same facts give the same bytes.

    An author is a person ("Given Family", or "Family, Given"), or an organisation if the name is one word or
    begins or ends like one. Without authors, the author is "The authors of NAME". A licence that SPDX does
    not list is omitted.
    """
    import yaml

    listed = [_flat(author) for author in authors if _flat(author)]
    papers = {paper.line: paper for kind in kinds for paper in released_form(kind).papers}
    spdx = spdx_id(license_)
    written: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it and the papers whose method it follows.",
        "type": "dataset",
        "title": _flat(name),
        "version": _flat(version),
        "authors": [cited_author(a) for a in listed] or [{"name": f"The authors of {_flat(name)}"}],
        **({"license": spdx} if spdx else {}),
        "keywords": ["bias", "benchmark", "language models"],
        "references": [_reference(paper.fields) for paper in papers.values()],
    }
    return yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=10_000).encode()


def cited_author(name: str) -> dict[str, str]:
    """Return an author as CITATION.cff names a person or an organisation; ``name`` is not empty."""
    words = re.split(r"[\s,.]+", name.lower().strip(" ,."))
    if "," in name:
        family, _, given = (part.strip() for part in name.partition(","))
        if family and given and not _GROUPS & set(words):
            return {"family-names": family, "given-names": given}
        return {"name": name}
    first, last = words[0], words[-1]
    if " " not in name or first == "the" or last in _GROUPS or first in _GROUPS:
        return {"name": name}
    given, _, family = name.rpartition(" ")
    return {"family-names": family, "given-names": given}


def _reference(paper: Mapping[str, Any]) -> dict[str, Any]:
    people = [{"family-names": family, "given-names": given} for given, family in paper["authors"]]
    return {**paper, "authors": people}


def _flat(text: str) -> str:
    return " ".join(readable(text).split())
