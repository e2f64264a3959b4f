"""The reference pages are as the code has them, and what makes them says what it should."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal, get_args

from pydantic import Field

from nextset.files.yaml_model import HandWritten
from nextset.study.study_sections import study_file_model
from scripts.import_diagram import FILE, diagram
from scripts.reference_pages import DOCS, short_part, stale_pages, updated


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

    earlier_names: ClassVar[Mapping[str, str]] = {"title": "name"}

    name: str
    """Its name."""
    way: Literal["fast", "slow"] = "slow"
    """The way to take."""
    kinds: tuple[str, ...] = ("a", "b")
    """Its kinds."""
    most: int | None = Field(default=None, ge=1, strict=True)
    """At most this many; default: all."""
    inner: Inner = Inner()
    named: dict[str, Inner] = Field(default_factory=dict)
    """Settings by name."""


class Wider(Inner):
    """wider: how it is done, and more."""

    more: int = Field(default=1, strict=True)
    """How much more."""


def test_settings_are_one_table_per_section() -> None:
    page = updated(f"<!-- settings: {__name__}.Whole -->\n\nold\n")
    assert "old" not in page
    assert re.findall(r"^### .*", page, re.M) == ["### The study", "### `inner`", "### `named.NAME`"]
    assert "| `name` | text, required | Its name. Earlier name: `title`. |" in page
    assert "| `kinds` | `[a, b]` | Its kinds. |" in page
    assert "| `way` | `slow`, `fast` | The way to take. |" in page
    assert "| `most` | whole number | At most this many; default: all. |" in page
    assert "\n\nHow it is done.\n\n| key |" in page
    assert "| `share` | `0.5` | A share \\| of it. |" in page


def test_inherited_keys_have_their_meaning() -> None:
    page = updated(f"<!-- settings: {__name__}.Wider -->\n\nold\n")
    assert "| `share` | `0.5` | A share \\| of it. |" in page
    assert "| `more` | `1` | How much more. |" in page


def test_no_cell_of_a_made_table_is_empty() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in (DOCS / "reference").rglob("*.md")}
    empty = {
        name: found for name, text in pages.items() if (found := re.findall(r"^\|.*\| +\|$", text, re.M))
    }
    assert empty == {}


def test_the_keys_of_study_yaml_are_each_on_one_part_of_the_page() -> None:
    page = (DOCS / "reference" / "study_yaml.md").read_text(encoding="utf-8")
    first, others = page.split("## The other keys by topic")
    assert len(short_part()) == 20
    for key in short_part():
        assert re.search(rf"^ *# .*\n *{key.split('.')[-1]}: ", first, re.M), key
    rows = {
        f"{section}.{key}".removeprefix(".")
        for section, table in re.findall(
            r"^### (?:`(\S+)`|The study)\n(.*?)(?=^### |\Z)", others, re.M | re.S
        )
        for key in re.findall(r"^\| `(\w+)` \| \S", table, re.M)
    }
    assert not rows & short_part()
    written = rows | short_part()
    for key, field in study_file_model().model_fields.items():
        section = next((a for a in get_args(field.annotation) if a is not type(None)), field.annotation)
        inner = [f"{field.alias or key}.{name}" for name in getattr(section, "model_fields", {})]
        for name in inner or ["models.NAME.labels" if key == "models" else key]:
            assert any(at == name or at.startswith(f"{name}.") for at in written), name
    assert all(len(line) <= 80 for line in first.split("```yaml")[1].splitlines())
