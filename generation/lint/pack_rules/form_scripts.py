"""Forms and words with letters of several scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import entries, entry_finding, template_finding
from nextset.generation.lint.pack_rules.word_borders import words
from nextset.generation.questions.question_set import QuestionSet, SetTemplate
from nextset.generation.slots import Run
from nextset.lint_rules import Finding, LintRule

__all__ = ["MIXED_SCRIPTS", "mixed_scripts"]

_TOGETHER = ({"HIRAGANA", "KATAKANA", "CJK"}, {"HANGUL", "CJK"})


def mixed_scripts(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find letters of two scripts in one form, or in one word of a template."""
    for questions in sets:
        for entry in entries(questions):
            for text in entry.forms.values():
                scripts = _scripts(text)
                if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
                    problem = f"{' and '.join(sorted(scripts)).lower()} in {text!r}"
                    yield entry_finding(entry, "mixed-scripts", problem)
        for template in questions.templates:
            for word in _words(template):
                scripts = _scripts(word)
                if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
                    problem = f"{' and '.join(sorted(scripts)).lower()} in the word {word!r}"
                    yield template_finding(questions, template, "mixed-scripts", problem)


def _words(template: SetTemplate) -> list[str]:
    """Return the words around the slots of a template, each once."""
    pieces = (*template.context, *template.asked, *template.denied)
    runs = (text for p in pieces if isinstance(p, Run) for _, text in p.values)
    texts = (*(p for p in pieces if isinstance(p, str)), *runs)
    return list(dict.fromkeys(word for text in texts for word in words(text)))


def _scripts(text: str) -> set[str]:
    return {unicodedata.name(c, "?").split()[0] for c in text if _shows_script(c)}


def _shows_script(c: str) -> bool:
    """Return whether ``c`` is a letter of one script; long-vowel marks, apostrophes, ordinals are shared."""
    return unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo") and c not in "ªº"


MIXED_SCRIPTS: LintRule[Sequence[QuestionSet]] = LintRule(
    "mixed-scripts",
    mixed_scripts,
    "letters of two scripts in one form, or in one word of a template",
)
