"""The annotators named to `nextset validate serve`: accounts that others create are not invited."""

from __future__ import annotations

import json
from pathlib import Path

from nextset.errors import JudgmentError
from nextset.files.atomic_files import write_atomically
from nextset.files.json_lines import append_lines, read_lines
from nextset.validation.judgments.pseudonyms import identity

__all__ = ["forget_annotator", "local_annotators", "note_annotator"]

_NAME = "annotators.jsonl"


def note_annotator(data: Path, email: str) -> None:
    """Record in the server's folder ``data`` that ``email`` was named as an annotator."""
    if identity(email) not in map(identity, local_annotators(data)):
        append_lines(data / _NAME, [{"email": email}])


def forget_annotator(data: Path, email: str) -> None:
    """Remove ``email`` from the record in the server's folder ``data``."""
    left = [e for e in sorted(local_annotators(data)) if identity(e) != identity(email)]
    if (data / _NAME).is_file():
        write_atomically(data / _NAME, b"".join(json.dumps({"email": e}).encode() + b"\n" for e in left))


def local_annotators(data: Path) -> frozenset[str]:
    """Return the annotators' e-mails, in lower case; raises JudgmentError if the file is damaged."""
    lines = read_lines(data / _NAME, JudgmentError)
    return frozenset(str(line.fields["email"]) for line in lines if line.fields and "email" in line.fields)
