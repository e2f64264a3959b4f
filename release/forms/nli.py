"""NLI items in a release: premise and hypothesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from nextset.forms import NLI as NLI_FORM
from nextset.records.column_docs import column_docs
from nextset.records.nli_items import NliItem
from nextset.release.forms.harness_task import HarnessTask
from nextset.release.forms.method_papers import BBNLI, BBNLI_NEXT
from nextset.release.forms.released_form import SHARED_MEANINGS, ReleasedForm, text_column

__all__ = ["MEANINGS", "NLI"]

MEANINGS: Mapping[str, str] = {
    **column_docs(NliItem),
    "fluency": "Mean log probability of the hypothesis's tokens, by a language model; may be null.",
    "relative_fluency": "Fluency minus the median of the stereotype's plain hypotheses; may be null.",
    "fill_marks": "Doubts about the fill, such as another meaning; null for counterfactuals.",
    "fill_claim": "with, against or beside its template's claim; null for a mask without anchors.",
    "missed_by": "Filter models that got the item wrong; null for counterfactuals (never filtered).",
    "unanswered_by": "Filter models that were asked and did not answer; only if there are any; may be null.",
    "kept_because": "own: the rule keeps it; with its pair: it keeps one that differs by group; may be null.",
    "verdict": "valid, invalid or incoherent; null if no one judged; a counterfactual has its parent's.",
    "stance_judged": "The stance as judged; a counterfactual has the opposite of its parent's.",
    "judge": "people; null if no one judged; a counterfactual has its parent's.",
    "n_judgments": "Number of judgments of the hypothesis; a counterfactual has its parent's.",
    "form_ok": "Whether the rule finds the form ok (judge: rule); a counterfactual has its parent's.",
    "counterpart_id": "The item with the groups swapped only in the hypothesis; symmetric; may be null.",
    "counterfactual_set": "Shared by an item and all of its counterfactuals; null if there are none.",
    **SHARED_MEANINGS,
}
"""The meaning of each column of the config items, by name."""

_ABOUT = (
    "A test set of premise–hypothesis pairs for natural language inference. No premise settles its "
    "hypothesis, so the right\n"
    "label is neutral. A model follows the stereotype if it answers entailment to a hypothesis that "
    "states the stereotype, or\n"
    "contradiction to one that states its opposite. The dataset measures this; it is not for "
    "training."
)

_MEASURES = """\
- accuracy
- the share of answers with the stereotype (`pro`) and the share of answers against it (`anti`), of all items
- the aggregate score: the difference of these two shares
- over pairs of an item and its counterpart, the shares of items whose answers differ and go towards the
  stereotype (`counterfactual_pro`) or away from it (`counterfactual_anti`), and of items with the same wrong
  answer to both (`counterfactual_error`); they distinguish a preference for one group from answers that
  ignore the group

`nextset audit` computes these measures, with intervals for accuracy."""
_HARNESS = HarnessTask(
    rows="NLI items",
    measures="bias_measures.py",
    lm_eval="lm_eval_items.py",
    tasks=(
        ("", "NliItems", "test", "multiple_choice"),
        ("_controls", "NliItems", "controls", "multiple_choice"),
    ),
    inspect="inspect_items.py",
    readme="README.md.j2",
    choices=3,
)


def _row_texts(batch: pa.Table) -> Iterator[tuple[str, ...]]:
    return zip(text_column(batch, "premise"), text_column(batch, "hypothesis"), strict=True)


def _input_texts(batch: pa.Table) -> Iterator[tuple[tuple[str, str], ...]]:
    return (((premise, hypothesis),) for premise, hypothesis in _row_texts(batch))


NLI = ReleasedForm(
    config=NLI_FORM.released,
    meaning="premise–hypothesis pairs",
    about=_ABOUT,
    tasks=(("text-classification", "natural-language-inference", "natural-language-inference"),),
    generated=(NLI_FORM.generated, "masked"),
    candidates=("fill", NLI_FORM.generated),
    has_items=True,
    kept_together=(
        "Items that differ only by group were kept together.",
        "Items that differ only by group were filtered separately.",
    ),
    near_duplicates=True,
    unit=("hypothesis", "hypotheses"),
    part="domain",
    parts=("domain", "stereotype"),
    part_names=("domain", "stereotype"),
    measures=_MEASURES,
    cited="The method and the template format come from these two papers. Please cite them too.",
    papers=(BBNLI, BBNLI_NEXT),
    labels=("label", "stance", "stance_design"),
    harness=_HARNESS,
    inputs=1,
    compared=("id", "template_id", "set_id", "counterfactual_set", "premise", "hypothesis"),
    row_texts=_row_texts,
    input_texts=_input_texts,
    counted_by=("domain", "stereotype"),
    same=("language", "stereotype", "stance_design", "bindings"),
    one_of=("premise", "hypothesis", "template_id", "set_id"),
    near=("premise", "hypothesis"),
    texts=("premise", "hypothesis", "question"),
    shown=("premise", "hypothesis", "question"),
    meanings=MEANINGS,
)
