"""The reference pages are as the code has them, and what makes them says what it should."""

from __future__ import annotations

import re

from pydantic import Field

from nextset.files.yaml_model import HandWritten
from scripts.import_diagram import FILE, diagram
from scripts.reference_pages import DOCS, stale_pages, updated


def test_no_page_is_older_than_the_code() -> None:
    assert sorted(page.relative_to(DOCS).as_posix() for page in stale_pages()) == [], "run scripts/docs"


def test_the_picture_shows_the_imports_of_today() -> None:
    assert FILE.read_text(encoding="utf-8") == diagram(), "run scripts/docs"


def test_a_table_of_columns_is_replaced_and_the_text_after_it_stays() -> None:
    mark = "<!-- columns: nextset.records.nli_items.Word -->"
    page = updated(f"# A page\n\n{mark}\n\n| earlier | table |\n\nText after it.\n")
    assert page.startswith(f"# A page\n\n{mark}\n\n| column | meaning |\n|---|---|\n| `name` | ")
    assert "earlier" not in page
    assert page.endswith("|\n\nText after it.\n")


class Inner(HandWritten):
    """inner: how it is done."""

    share: float = Field(default=0.5, strict=True)
    """A share | of it."""


class Whole(HandWritten):
    """The whole file."""

    name: str
    """Its name."""
    kinds: tuple[str, ...] = ("a", "b")
    """Its kinds."""
    most: int | None = Field(default=None, ge=1, strict=True)
    """At most this many; default: all."""
    inner: Inner = Inner()
    named: dict[str, Inner] = Field(default_factory=dict)
    """Settings by name."""


def test_settings_are_one_table_per_section() -> None:
    page = updated(f"<!-- settings: {__name__}.Whole -->\n\nold\n")
    assert "old" not in page
    assert re.findall(r"^## .*", page, re.M) == ["## The keys", "## `inner`", "## `named.NAME`"]
    assert "| `name` | text | required | Its name. |" in page
    assert "| `kinds` | list of text | `[a, b]` | Its kinds. |" in page
    assert "| `most` | whole number |  | At most this many; default: all. |" in page
    assert "| `inner` | section |  | How it is done. |" in page
    assert "| `named` | mapping of text to section | `{}` | Settings by name. |" in page
    assert "| `share` | number | `0.5` | A share \\| of it. |" in page
