from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nextset.release.dataset_card.citation_file import citation_bytes, cited_author
from nextset.release.dataset_card.license_ids import spdx_id, spdx_url

TYPES = {"article", "conference-paper", "dataset"}


def cited(**other: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": "left-right", "version": "1.0.0", "license_": "cc-by-4.0",
        "authors": ("Ada M. Example",), "kinds": ("items",), **other,
    }  # fmt: skip
    raw = citation_bytes(**facts)
    assert raw == citation_bytes(**facts)
    return dict(yaml.safe_load(raw))


def check(found: dict[str, Any]) -> None:
    """Check the structure that CFF 1.2.0 requires of a dataset and its references."""
    assert set(found) <= {
        "cff-version", "message", "type", "title", "version", "authors", "license", "keywords", "references",
    }  # fmt: skip
    assert (found["cff-version"], found["type"]) == ("1.2.0", "dataset")
    assert isinstance(found["version"], str)
    for part in (found, *found["references"]):
        assert part["title"]
        assert part["type"] in TYPES
        assert part["authors"]
        for author in part["authors"]:
            assert set(author) in ({"name"}, {"family-names", "given-names"})
            assert all(isinstance(text, str) and text for text in author.values())
    for reference in found["references"]:
        assert isinstance(reference["year"], int)


def test_references_fit_the_kind() -> None:
    items, quads = cited(), cited(kinds=("questions", "statements"))
    check(items)
    check(quads)
    assert [r["year"] for r in items["references"]] == [2022, 2023]
    assert [r["title"][:9] for r in quads["references"]] == ["UNQOVERin"]
    assert [r["year"] for r in cited(kinds=("items", "questions"))["references"]] == [2022, 2023, 2020]
    assert items["license"] == "CC-BY-4.0"


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("Ada M. Example", {"family-names": "Example", "given-names": "Ada M."}),
        ("Example, Ada", {"family-names": "Example", "given-names": "Ada"}),
        ("Exampleco", {"name": "Exampleco"}),
        ("The Left Hand", {"name": "The Left Hand"}),
        ("Left Hand Project", {"name": "Left Hand Project"}),
        ("University of Example", {"name": "University of Example"}),
        ("Hands, Inc.", {"name": "Hands, Inc."}),
        (",", {"name": ","}),
        ("0.0", {"name": "0.0"}),
    ],
)
def test_authors_are_people_or_organisations(name: str, author: dict[str, str]) -> None:
    assert cited_author(name) == author


@pytest.mark.slow
@given(st.lists(st.text(max_size=30)), st.text(max_size=30))
def test_any_names_give_a_valid_file(authors: list[str], license_: str) -> None:
    found = cited(authors=tuple(authors), license_=license_)
    check(found)
    assert found.get("license") == spdx_id(license_)


def test_licences_that_spdx_does_not_list_are_left_out() -> None:
    assert "license" not in cited(license_="")
    assert "license" not in cited(license_="other")
    assert (spdx_id("odbl"), spdx_url("mit")) == ("ODbL-1.0", "https://spdx.org/licenses/MIT.html")
    assert cited(authors=())["authors"] == [{"name": "The authors of left-right"}]
