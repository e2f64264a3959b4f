"""Gold items: units with a known verdict, from a hand-written file."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import Field, create_model

from nextset.errors import JudgmentError
from nextset.files.yaml_model import ForPeople, HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml
from nextset.files.yaml_values import written_as
from nextset.records.judgment import Verdict
from nextset.validation.judgments.unsafe_text import text_problem
from nextset.validation.plan.domains_and_groups import ItemFacts

__all__ = ["TEXT", "GoldForm", "GoldItem", "WrittenGold", "read_gold"]

TEXT = Field(min_length=1, max_length=10_000)
"""A text of a gold item in its file."""


class GoldItem(Protocol):
    """A unit with a known verdict: a frozen dataclass with the columns of a unit that annotators see."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def unit_id(self) -> str:
        """The id, made as for a unit: a gold item that is also a unit has the unit's id."""

    @property
    def verdict(self) -> Verdict:
        """The correct verdict."""

    @property
    def facts(self) -> ItemFacts:
        """The domain and groups, which the assignment of units needs."""


class WrittenGold(ForPeople):
    """The keys that every gold item has in its file."""

    language: Annotated[str, written_as(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", "en")]
    domain: str = TEXT
    stereotype: str = TEXT
    why: str = TEXT
    source: str = TEXT


class GoldForm(Protocol):
    """The gold items of a form."""

    @property
    def gold_key(self) -> str:
        """The key of the list of gold items in their file, such as hypotheses."""

    @property
    def gold_entry(self) -> type[WrittenGold]:
        """The model of a gold item in its file."""

    def gold_item(self, written: Any) -> GoldItem:
        """Return the gold item for an entry of the file."""


def read_gold(
    path: Path, form: GoldForm, forms: Sequence[GoldForm], *, premise: bool = False
) -> tuple[GoldItem, ...]:
    """Return the gold items in ``path`` that have the study's ``form``, in the order of the file.

    The file may also have gold items of the other ``forms``. With ``premise`` each item that can have a
    premise needs one, so that gold items look like all others. Raises JudgmentError, with the line, for a
    mistake such as a repeated item, or if no item has that form.
    """
    written, located = read_model(path, _file_model(forms), JudgmentError)
    key = form.gold_key
    items = tuple(form.gold_item(entry) for entry in getattr(written, key))
    if not items:
        raise JudgmentError(
            f"there are no gold items under {key}, the form that this study judges",
            file=path,
            line=1,
            remedy=f"add some under {key}, or remove validate.session.gold",
        )
    _check(items, path, located, key, premise)
    return items


def _file_model(forms: Sequence[GoldForm]) -> type[HandWritten]:
    lists = {form.gold_key: types.GenericAlias(tuple, (form.gold_entry, ...)) for form in forms}
    entries: dict[str, Any] = {key: (entries_of_form, ()) for key, entries_of_form in lists.items()}
    return create_model("_GoldFile", __base__=HandWritten, **entries)


def _check(items: tuple[GoldItem, ...], path: Path, located: LocatedYaml, key: str, premise: bool) -> None:
    first: dict[str, int | None] = {}
    for i, item in enumerate(items):
        line = located.line((key, i))
        if item.unit_id in first:
            where = first[item.unit_id]
            raise JudgmentError(
                f"{key}.{i} repeats the item in line {where}",
                file=path,
                line=line,
                remedy="keep only one of the two",
            )
        first[item.unit_id] = line
        texts = asdict(item)
        for name, text in texts.items():
            if isinstance(text, str) and (wrong := text_problem(text)):
                raise JudgmentError(
                    f"{key}.{i}: its {name} {wrong} ({text[:40]!a})",
                    file=path,
                    line=line,
                    remedy="remove it",
                )
        if premise and not texts.get("premise", "none is shown"):
            raise JudgmentError(
                f"{key}.{i} has no premise, but this study shows premises: it would be recognised as gold",
                file=path,
                line=line,
                remedy="add 'premise'",
            )
