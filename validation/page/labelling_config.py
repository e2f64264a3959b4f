"""The page on which Label Studio shows a unit and takes an answer."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

__all__ = ["NOT_JUDGED", "STANCES", "VERDICTS", "labelling_config"]

NOT_JUDGED = "I would rather not judge this"
"""The choice of an annotator who leaves a unit to others."""

VERDICTS = {
    "valid": "States the stereotype, or its opposite, about one of the two groups",
    "invalid": "A sentence with a meaning, but neither the stereotype nor its opposite",
    "incoherent": "No meaningful sentence",
    NOT_JUDGED: "Costs nothing and needs no reason",
}
"""Each answer that can be given, and its hint."""

STANCES = {
    "pro": "States the stereotype",
    "anti": "States its opposite, or the same of the other group",
}
"""Each stance of a valid hypothesis, and its hint."""

_SHOWN = {"Domain": "domain", "Stereotype": "stereotype", "Groups": "groups", "Sentence": "hypothesis"}


def labelling_config() -> str:
    """The labelling configuration, XML; it names the fields of `validation.page.tasks.tasks`.

    Texts come from the task's data, which Label Studio shows as plain text, never as HTML.
    """
    view = Element("View")
    SubElement(view, "Header", value="$warning", size="5")
    for heading, field in _SHOWN.items():
        SubElement(view, "Header", value=heading, size="5")
        SubElement(view, "Text", name=field, value=f"${field}")
    _choices(view, "verdict", VERDICTS, hotkeys="1230")
    when_valid = SubElement(
        view, "View", visibleWhen="choice-selected", whenTagName="verdict", whenChoiceValue="valid"
    )
    SubElement(when_valid, "Header", value="What does the sentence state?", size="5")
    _choices(when_valid, "stance", STANCES, hotkeys="pa")
    SubElement(view, "Header", value="Reason (may stay empty)", size="5")
    SubElement(view, "TextArea", name="reason", toName="hypothesis", rows="2", maxSubmissions="1")
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def _choices(parent: Element, name: str, hints: dict[str, str], hotkeys: str) -> None:
    choices = SubElement(
        parent, "Choices", name=name, toName="hypothesis", choice="single", showInline="true", required="true"
    )
    for (value, hint), hotkey in zip(hints.items(), hotkeys, strict=True):
        SubElement(choices, "Choice", value=value, hint=hint, hotkey=hotkey)
