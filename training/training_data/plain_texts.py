"""Plain texts for masked language models: the lines of a text file, or a table's column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nextset.errors import InputError
from nextset.training.training_data.data_source import DataSource
from nextset.training.training_data.wanted_columns import wanted_columns

__all__ = ["read_texts"]


def read_texts(sources: Sequence[DataSource], columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts of ``sources`` that are not empty: lines of .txt, or the column text of tables.

    ``columns`` can name a different column as ``text``. Raises InputError with file and line.
    """
    texts = tuple(text for source in sources for text in _texts(source, columns) if text.strip())
    for source in sources:
        source.check_unchanged()
    if not texts:
        raise InputError(
            "there are no texts", file=sources[0].place, remedy="name data with at least one line"
        )
    return texts


def _texts(source: DataSource, columns: Mapping[str, str]) -> Iterator[str]:
    if source.path is not None and source.path.suffix.lower() == ".txt":
        yield from _lines(source.path)
        return
    name = wanted_columns(source.columns(), ("text",), columns, source.place)["text"]
    for line, row in source.rows():
        text = row.get(name)
        if text is not None and not isinstance(text, str):
            raise InputError(
                f"the column {name!r} has a value that is not a text: {text!r:.60}",
                file=source.place,
                line=line,
                remedy="name a column of texts",
            )
        yield text or ""


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise InputError(
                    "not UTF-8", file=path, line=number, remedy="save the file as UTF-8"
                ) from None
