"""Forms with letters of several scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from nextset.generation.lint.finding import Finding
from nextset.generation.lint.pack_rules.pack_entries import entries, entry_finding
from nextset.generation.questions.question_set import QuestionSet

__all__ = ["mixed_scripts"]

_TOGETHER = ({"HIRAGANA", "KATAKANA", "CJK"}, {"HANGUL", "CJK"})


def mixed_scripts(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Letters of two scripts in one form."""
    for questions in sets:
        for entry in entries(questions):
            for text in entry.forms.values():
                scripts = {unicodedata.name(c, "?").split()[0] for c in text if _shows_script(c)}
                if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
                    problem = f"{' and '.join(sorted(scripts)).lower()} in {text!r}"
                    yield entry_finding(entry, "mixed-scripts", problem)


def _shows_script(c: str) -> bool:
    """Return whether ``c`` is a letter of one script; long vowels, apostrophes and ordinals are shared."""
    return unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo") and c not in "ªº"
