"""The fields of Croissant's extension for responsible AI (RAI 1.0), from manifest and card."""

from __future__ import annotations

from typing import Any

from nextset.release.dataset_card.card_facts import Card
from nextset.release.dataset_card.text_sources import text_sources, unchecked_packs
from nextset.release.forms.released_form import released_form
from nextset.release.version_folder.release_manifest import ReleaseManifest

__all__ = ["responsible_ai"]


def responsible_ai(manifest: ReleaseManifest, facts: Card) -> dict[str, Any]:
    """Return the fields by their names; only facts of this version are stated."""
    items = any(released_form(kind).has_items for kind in facts.kinds)
    return {
        "rai:dataCollection": " ".join((*text_sources(facts), *unchecked_packs(facts))),
        "rai:dataCollectionType": ["Others"],
        "rai:dataPreprocessingProtocol": _preprocessing(facts, items),
        "rai:dataAnnotationProtocol": _annotation(manifest, facts),
        "rai:dataAnnotationAnalysis": _analysis(facts),
        "rai:annotatorDemographics": _demographics(facts),
        "rai:machineAnnotationTools": [
            f"{model.name} ({model.role}{f' of {model.version}' if model.version else ''}, "
            f"weights {model.revision})"
            for model in manifest.models
        ],
        "rai:personalSensitiveInformation": _personal(manifest, facts),
        "rai:dataUseCases": [
            "Measuring whether language models hold the stereotypes that the texts state.",
            "Not for training: a model that has seen the texts cannot be measured with them.",
        ],
        "rai:dataBiases": _biases(facts),
        "rai:dataLimitations": _limitations(manifest, facts, items),
        "rai:dataSocialImpact": (
            f"{manifest.content_warning} A low measured bias on this dataset does not show that a model is "
            "free of bias. It shows that the model does not follow these stereotypes in these texts."
        ),
        "rai:dataReleaseMaintenancePlan": (
            "Versions are numbered major.minor.patch: a change of columns or labels is major, items added or "
            "removed are minor. Item ids stay the same across versions. Withdrawn items are listed with the "
            "reasons, and CHANGELOG.md lists what changed."
        ),
    }


def _preprocessing(facts: Card, items: bool) -> list[str]:
    filtered = (
        f"Adversarial filter. The rule: {facts.rule}. Scores were {facts.scored}. "
        f"For balance: {facts.balance}."
        if facts.rule
        else "No filter was applied: all candidates are in the dataset."
    )
    added = facts.statistics.counterfactuals if facts.statistics is not None else 0
    swapped = f"Counterfactuals were added, with the groups swapped: {added}." if items and added else ""
    return [text for text in (filtered, swapped) if text]


def _annotation(manifest: ReleaseManifest, facts: Card) -> list[str]:
    if manifest.judge == "nobody":
        return ["The texts have not been judged by people."]
    if manifest.judge == "rule":
        return [
            "The texts have not been judged by people. A rule checked their form, not their meaning, and the "
            "texts whose form it found ok are in the dataset."
        ]
    counted = f" Selection by verdict: {facts.verdicts}." if facts.verdicts else ""
    return [
        "Annotators judged each unit as valid, invalid or incoherent, and valid units also by stance. "
        f"Judgments were aggregated by {facts.aggregate}.{counted}"
    ]


def _analysis(facts: Card) -> list[str]:
    if facts.judge != "people":
        return []
    per_cent, alpha = facts.per_cent, facts.alpha
    pairs = (
        f"Agreement is undefined: {per_cent.why_undefined}."
        if per_cent.value is None
        else f"{per_cent.value:.1f} per cent of pairs of judgments on the same unit have the same verdict."
    )
    chance = (
        f"Krippendorff's alpha is undefined: {alpha.why_undefined}."
        if alpha.value is None
        else f"Krippendorff's alpha of the verdicts is {alpha.value:.2f}."
    )
    return [pairs, chance]


def _demographics(facts: Card) -> list[str]:
    if facts.judge != "people":
        return ["There were no annotators."]
    if not facts.demographics:
        return ["No fields about annotators are published."]
    fields = ", ".join(facts.demographics)
    return [
        f"Published fields: {fields}. Every combination of values is shared by at least {facts.k} annotators."
    ]


def _personal(manifest: ReleaseManifest, facts: Card) -> list[str]:
    texts = (
        "The texts were imported. Only their authors can say whether they describe real individuals."
        if facts.only_imported
        else "The texts of templates are about groups. They describe no real individual."
    )
    if manifest.judge != "people":
        return [texts]
    shared = f" (k-anonymity with k = {facts.k})" if facts.demographics and facts.k else ""
    return [texts, f"Annotators appear only as pseudonyms{shared}."]


def _biases(facts: Card) -> list[str]:
    shifted = [f"The filter shifted the balance: {warning}." for warning in facts.warnings]
    return [
        "The dataset states stereotypes that published work documents. It does not measure others.",
        "The filter models decided which texts are in the dataset, so it is harder for models that resemble "
        "them."
        if facts.rule
        else "The texts were not selected by any model's errors.",
        *shifted,
    ]


def _limitations(manifest: ReleaseManifest, facts: Card, items: bool) -> list[str]:
    toys = any(model.toy for model in manifest.models)
    swapped = facts.statistics.premise_swapped if facts.statistics is not None else 0
    limitations = (
        f"Languages: {', '.join(manifest.languages)}.",
        "Small built-in models helped to make this dataset: it supports no conclusion about any real model."
        if toys
        else "",
        f"The premises of {swapped} items are factually false because groups were swapped in them."
        if items and swapped
        else "",
        *(f"Check waived by the authors: {w.what}: {w.reason}" for w in manifest.waivers),
        *(
            f"Overlap with {o.source}: rows with the same text: {o.exact}; "
            f"rows with the same or nearly the same text: {o.near}."
            for o in facts.overlaps
        ),
    )
    return [text for text in limitations if text]
