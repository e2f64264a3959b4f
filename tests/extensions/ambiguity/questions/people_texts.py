"""Questions with several right answers for tests, and the names that replace theirs."""

from __future__ import annotations

from pathlib import Path

from nextset.extensions.ambiguity.questions.given_names import GivenName, load_given_names
from nextset.extensions.ambiguity.questions.mentions import located
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.extensions.ambiguity.settings.selectional_settings import NameBalanceSettings

__all__ = ["GROUPS", "NAMES", "mentioned", "question"]

GROUPS = ("female", "male")
NAMES: tuple[GivenName, ...] = load_given_names(NameBalanceSettings(), Path, Path()).names


def question(
    context: str,
    *people: str,
    genders: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    asked: str = "Who discovered the Biot-Savart law?",
    item: str = "Biot-Savart law",
    language: str = "en",
) -> SourceQuestion:
    """A question about ``people``, men unless ``genders`` differ; ``aliases`` are the first one's."""
    named = people or ("Jean-Baptiste Biot", "Félix Savart")
    of = genders or ("male",) * len(named)
    listed = tuple(
        SourcePerson(name, {"gender": gender}, aliases=aliases if i == 0 else ())
        for i, (name, gender) in enumerate(zip(named, of, strict=True))
    )
    return SourceQuestion(language, item, asked, context, "tests", "1", listed, Path("tests.jsonl"), 1)


def mentioned(source: SourceQuestion) -> list[list[str]]:
    """The texts of the mentions of each person."""
    return [[source.context[m.start : m.end] for m in found.mentions] for found in located(source)]
