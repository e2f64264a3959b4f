"""The forms of rows: the ways in which models are asked about a text."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.open_table import OpenTable
from nextset.records.choice_items import ChoiceItem
from nextset.records.nli_items import NliItem
from nextset.records.question_quads import MaskedStatement, QuestionQuad
from nextset.records.reader_answers import AskedQuestion

__all__ = [
    "ANSWER",
    "CHOICE",
    "FORMS",
    "NLI",
    "QA",
    "QUESTION",
    "STATEMENT",
    "Form",
    "FormName",
    "forms_asking",
]

FormName = str
"""The name of a form in `FORMS`, such as nli."""


@dataclass(frozen=True)
class Form:
    """A form of rows: the record of the rows, and the way in which a model is asked about them.

    What a package does with the rows of a form is in that package's own open table, such as
    nextset.forms.scoring.
    """

    name: FormName
    """The form's name."""
    noun: str
    """The name of the rows in messages, in the plural."""
    record: type
    """The record of the rows, a dataclass of `nextset.records`."""
    generated: str = ""
    """The table of the rows in out/generate; empty if the stage generate does not make them."""
    released: str = ""
    """The table and the config of the rows in a dataset version; empty if they are not released."""
    section: str = ""
    """The section of study.yaml that makes the rows; empty if none does."""
    masked: str = ""
    """The table of the rows with open masks in out/generate, which the stage fill fills into a table
    `generated` of its own; empty if the rows have none."""
    counterparts: bool = False
    """True if a release adds counterparts of the rows, which the audit needs."""
    answerable: bool = False
    """True if people can answer a row: it has options to choose from."""
    quads: bool = False
    """True if a row has two subjects and four inputs."""
    id_kind: str = ""
    """The kind that enters the rows' ids (`nextset.records.question_quads.QuadId`); empty without quads."""
    asks: FormName = ""
    """The form whose rows this form asks in a different way; empty for a form with rows of its own."""

    @property
    def rows_of(self) -> FormName:
        """The form that the rows have in a study: nli for qa, else the form itself."""
        return self.asks or self.name


FORMS: OpenTable[Form] = OpenTable("nextset.forms", "form")
"""The forms of nextset and of installed packages."""

NLI = Form(
    "nli",
    "NLI pairs",
    NliItem,
    "items",
    "items",
    section="templates",
    masked="masked",
    counterparts=True,
)
"""A premise and a hypothesis: entailment, neutral or contradiction."""
QA = Form("qa", "yes/no questions", NliItem, "items", "items", asks="nli")
"""An NLI item as a yes/no question about the premise."""
QUESTION = Form(
    "question",
    "questions",
    QuestionQuad,
    "quads",
    "questions",
    section="questions",
    quads=True,
    id_kind="quad",
)
"""Questions about a context that does not answer them."""
STATEMENT = Form(
    "statement",
    "masked statements",
    MaskedStatement,
    "statements",
    "statements",
    section="questions",
    quads=True,
    id_kind="masked",
)
"""Statements about one of two subjects, whose name is masked."""
ANSWER = Form("answer", "questions about a text", AskedQuestion)
"""Questions about a text whose answers models find themselves."""
CHOICE = Form(
    "choice",
    "choice items",
    ChoiceItem,
    "choices",
    "choices",
    section="choices",
    masked="masked_choices",
    answerable=True,
)
"""Questions with three or more options about a context, one of which is that it is unknown (BBQ)."""


def forms_asking(form: Form) -> tuple[FormName, ...]:
    """Return the names of the forms that ask about the rows of ``form``: itself, then its other wordings."""
    return (form.name, *(other.name for other in FORMS if other.asks == form.name))
