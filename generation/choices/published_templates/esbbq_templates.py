"""The workbooks of EsBBQ and CaBBQ (2025): one row per template and version, in Spanish and in Catalan."""

from __future__ import annotations

import re
from functools import partial

from nextset.errors import StudyError
from nextset.generation.choices.published_templates.braced_text import (
    braced_lists,
    braced_text,
    quoted_list,
    word_entries,
)
from nextset.generation.choices.published_templates.published_template import (
    PublishedTemplate,
    Swaps,
    WordSlot,
)
from nextset.generation.choices.published_templates.slotted_text import Entry, SlottedText
from nextset.generation.choices.published_templates.spanish_people import (
    SpanishRow,
    SpanishVocabulary,
    spanish_pairs,
)
from nextset.generation.choices.published_templates.template_format import (
    TemplateReading,
    TemplateRow,
    wanted_cell,
)

__all__ = ["ESBBQ_TEMPLATES", "ESBBQ_UNKNOWN"]

ESBBQ_UNKNOWN = "unknown"
"""The option unknown in the published items, which the evaluation replaces."""
_LANGUAGES = ("es", "ca")
_EACH_TEXT: tuple[Swaps, ...] = ((False, False), (True, False), (False, True), (True, True))
"""People exchange their slots in the ambiguous context and in the rest of the texts, each by itself."""
_SENTENCE = re.compile(r"(^|[.!?…]\s+)([¿¡«\"(]*)(\w)")
_CORRECTED = (
    ("de País Vasco", "del País Vasco"),
    ("testigo de Jehová", "que es testigo de Jehová"),
    ("testimoni de Jehovà", "que és testimoni de Jehovà"),
)
"""Groups whose texts in the published items are not those of the lists."""
_GAP = re.compile(r"(?<=[.!?…])\s+")


class _EsbbqTemplates:
    """The format of the workbooks of EsBBQ and CaBBQ, with their vocabularies in the same folder."""

    columns = ("esbbq_template_id", "esbbq_category", "stereotyped_groups_es", "stated_gender_info")

    def read(self, reading: TemplateReading) -> list[PublishedTemplate]:
        """Return the templates in the study's language; raises StudyError for other languages."""
        language = reading.language.split("-")[0]
        if language not in _LANGUAGES:
            raise StudyError(
                f"the texts are in Spanish and Catalan, but the study's language is {reading.language}",
                file=reading.file,
                remedy="write language: es, or language: ca, in study.yaml",
            )
        vocabulary = SpanishVocabulary(reading.file.parent, language, reading.beside)
        return [_template(reading, row, language, vocabulary) for row in reading.rows]


ESBBQ_TEMPLATES = _EsbbqTemplates()
"""The format."""


def _template(
    reading: TemplateReading, row: TemplateRow, language: str, vocabulary: SpanishVocabulary
) -> PublishedTemplate:
    cell = partial(wanted_cell, reading.file, row)
    spare = partial(wanted_cell, reading.file, row, optional=True)
    lists = braced_lists(spare(f"lexical_diversity_{language}"))
    slots = {"NAME1", "NAME2", *lists}

    def text(column: str) -> SlottedText:
        return braced_text(cell(f"{column}_{language}"), slots)

    targets = quoted_list(cell(f"stereotyped_groups_{language}"))
    people = SpanishRow(
        cell("esbbq_category"),
        spare("subcategory"),
        spare(f"names_{language}"),
        targets,
        quoted_list(spare(f"non_stereotyped_groups_{language}")),
        (spare("NAME1_info"), spare("NAME2_info")),
        spare("stated_gender_info").lower().removeprefix("fake-"),
        spare("proper_nouns_only") not in ("", "0", "FALSE"),
    )
    return PublishedTemplate(
        file=reading.file,
        line=row.line,
        language=language,
        category=people.category,
        subcategory=people.subcategory,
        number=cell("esbbq_template_id"),
        version=spare("version"),
        stereotype=spare(f"relevant_social_values_{language}"),
        source="; ".join(quoted_list(spare("esbbq_source"))) or None,
        target_groups=targets,
        ambiguous=text("ambiguous_context"),
        disambiguating=text("disambiguating_context"),
        negative=text("question_negative_stereotype"),
        non_negative=text("question_non_negative"),
        answers=(text("answer_negative"), text("answer_non_negative")),
        pairs=spanish_pairs(people, vocabulary),
        swaps=_EACH_TEXT,
        words=tuple(WordSlot(name, name, word_entries(forms)) for name, forms in lists.items()),
        cue="name" if people.proper else "label",
        unknown=(ESBBQ_UNKNOWN,),
        polish=_polished,
    )


def _polished(text: str, first: Entry, second: Entry) -> str:
    """Return ``text`` as the authors' script leaves it: sentences begin with capitals, one space apart."""
    del first, second
    text = _GAP.sub(" ", text.strip())
    text = _SENTENCE.sub(lambda match: match[1] + match[2] + match[3].upper(), text)
    for wrong, right in _CORRECTED:
        text = text.replace(wrong, right)
    return text
