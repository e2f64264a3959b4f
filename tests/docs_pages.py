"""The pages of the docs, the blocks of code in them, and the settings that one of them shows."""

from __future__ import annotations

import re
from pathlib import Path

import nextset
from nextset.study.validation_settings import SessionSettings

ROOT = Path(__file__).parents[1]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def session_of_sessions(folder: Path) -> SessionSettings:
    """The section validate.session that docs/how_to/sessions.md shows, read as that of a new study."""
    (text,) = blocks(ROOT / "docs" / "how_to" / "sessions.md", "yaml")
    file = nextset.new_study(folder / "with a session").file.parent / "study.yaml"
    own = re.sub(r"^validate:.*\n", "", file.read_text(encoding="utf-8"), flags=re.M)
    file.write_text(own + text, encoding="utf-8")
    session = nextset.Study.load(file.parent).settings.validate_.session
    assert session is not None
    return session
