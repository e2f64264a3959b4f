"""The section ambiguity.retrieval of study.yaml: whom retrievers and readers find in a collection."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName, Paths, each_once

__all__ = ["DenseRetrieverSettings", "PassageSettings", "RetrievalSettings"]

ColumnName = Annotated[str, written_as(r"[^\x00-\x1f]{1,200}", "title")]


class PassageSettings(HandWritten):
    """ambiguity.retrieval.passages: the collection that is searched."""

    source: Annotated[str, written_as(r"[^\x00-\x1f]{1,500}", "passages.jsonl")] = "builtin:en"
    """builtin:en, a file (JSON lines, CSV or Parquet), a folder of them, or a dataset on the Hub,
    ORG/NAME@REVISION."""
    config: ColumnName | None = None
    """The config of a dataset on the Hub; default: its only one."""
    id: ColumnName | None = None
    """The column with the passage's id; default: id if there is one, else its number."""
    title: ColumnName = "title"
    """The column with the title."""
    text: ColumnName = "text"
    """The column with the text."""
    group: ColumnName | None = None
    """The column with the group of the title's person; default: group if there is one."""


class DenseRetrieverSettings(HandWritten):
    """ambiguity.retrieval.dense: an encoder of passages and questions."""

    model: ModelName
    """The encoder of passages: a DPR context encoder, or any encoder of sentences."""
    question_model: ModelName | None = None
    """The encoder of questions, if it is another one, as in DPR; default: the same."""
    pooling: Literal["auto", "cls", "mean"] = "auto"
    """How tokens become a vector: auto takes DPR's own, what the model's folder says, or else the mean."""
    normalize: bool = False
    """Whether vectors have length 1, so that the score is the cosine; true if the model's folder says so."""
    passage_prompt: str = ""
    """What is put before each passage, such as "passage:", if the model was trained with it."""
    question_prompt: str = ""
    """What is put before each question, such as "query:"."""
    search: Literal["exact", "faiss"] = "exact"
    """exact: every passage is compared, in blocks. faiss: the same by FAISS, which has to be installed."""


class RetrievalSettings(HandWritten):
    """ambiguity.retrieval: open questions over a collection of passages (Mao et al. 2021)."""

    passages: PassageSettings = PassageSettings()
    """The collection (`PassageSettings`)."""
    questions: Annotated[Paths, Field(min_length=1), AfterValidator(each_once)] = ("builtin:en",)
    """builtin:en, or tables of your own with question and occupation (CSV, JSON lines or Parquet)."""
    bm25: bool = True
    """Search by words (BM25)."""
    dense: tuple[DenseRetrieverSettings, ...] = ()
    """Search by vectors (`DenseRetrieverSettings`)."""
    top_k: int = Field(default=100, ge=1, le=1000, strict=True)
    """Passages retrieved for each question."""
    groups: tuple[str, ...] = Field(default=("female", "male"), min_length=2)
    """The groups that are compared; everyone else counts as unknown."""
    names: Paths = ()
    """Lists of names for titles without a label: builtin:LANGUAGE, or files with name and group."""
    base_rate: Literal["collection", "equal"] | dict[str, float] | str = "collection"
    """What the shares are compared with: those of the collection's titles, equal ones, shares that you give,
    or a table with occupation, group and share."""
    readers: Annotated[tuple[ModelName, ...], AfterValidator(each_once)] = ()
    """Extractive readers that answer from the retrieved passages."""
    read: int = Field(default=20, ge=1, le=1000, strict=True)
    """The passages that a reader reads for each question, the first ones."""

    @model_validator(mode="after")
    def _somebody_searches(self) -> RetrievalSettings:
        if not self.bm25 and not self.dense:
            raise WrongValue("nothing searches the collection", "write bm25: true, or add dense")
        return self

    @property
    def models(self) -> tuple[str, ...]:
        """The encoders and readers, each once, as the study names them."""
        encoders = (name for dense in self.dense for name in (dense.model, dense.question_model) if name)
        return tuple(dict.fromkeys((*encoders, *self.readers)))
