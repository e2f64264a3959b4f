"""Clear cases: every built-in model passes, every other order of labels is caught and named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from makers.builtin_models.builtin_models import NAMES
from nextset.errors import ModelError
from nextset.forms import FormName
from nextset.records.nli_items import LABELS
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.canary_texts import PAIRS, QUESTIONS, YES_NO
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.canaries.pair_canaries import PairCanaries
from nextset.scoring.checks.canaries import canaries_of, check_canaries
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.models.sources import BUILTIN, builtin_names, locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import (
    NLI_COLUMNS,
    SUBJECT_COLUMNS,
    Numbers,
    Pair,
    Question,
    YesNoQuestion,
)
from nextset.study.scoring_settings import CanaryPair, ModelSettings, ScoringSettings

NLI = [name for name in builtin_names() if name.startswith("nli-")]
PLAIN = Asking("nli", ScoringSettings())


def _asking(form: FormName = "nli", **model: Any) -> Asking:
    return Asking(form, ScoringSettings(), ModelSettings(**model))


def _check(folder: Path, asking: Asking = PLAIN) -> str:
    source = locate(str(folder))
    return check_canaries(NliClassifier.load(source, asking), canaries_of(source, asking), source.name)


def _copy(tmp_path: Path, **config: Any) -> Path:
    """nli-electra with another config."""
    copy = shutil.copytree(BUILTIN / "nli-electra", tmp_path / "copy")
    file = copy / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | config), encoding="utf-8")
    return copy


def _named(names: Sequence[str]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}


@pytest.mark.parametrize("name", NLI)
def test_the_built_in_models_pass_with_a_margin(name: str) -> None:
    source = locate(f"builtin:{name}")
    canaries = canaries_of(source, PLAIN)
    assert isinstance(canaries, Canaries)
    classifier = NliClassifier.load(source)
    assert check_canaries(classifier, canaries, name) == "12 of 12 canary pairs right (from its card)"
    numbers = classifier.scores(classifier.encoded([p for p in canaries.inputs if isinstance(p, Pair)]))
    right = [LABELS.index(label) for label in canaries.labels]
    assert (numbers[range(len(right)), right] > 0.9).all()


@pytest.mark.parametrize("order", list(permutations(LABELS)))
def test_every_permutation_is_caught_and_named(order: tuple[str, ...], tmp_path: Path) -> None:
    copy = _copy(tmp_path, **_named(order))
    if order == LABELS:
        assert "12 of 12" in _check(copy)
        return
    with pytest.raises(ModelError) as e:
        _check(copy)
    assert "Its outputs look like entailment, neutral, contradiction" in e.value.message
    assert f"read as {', '.join(order)}" in e.value.message
    assert f'models: {{"{copy}": {{labels: [entailment, neutral, contradiction]}}}}' in e.value.remedy


@pytest.mark.parametrize("order", list(permutations(LABELS)))
def test_a_wrong_map_of_the_study_is_caught_and_named(order: tuple[str, ...], tmp_path: Path) -> None:
    copy = _copy(tmp_path, **_named(["LABEL_0", "LABEL_1", "LABEL_2"]))
    asking = _asking(labels=order)
    if order == LABELS:
        assert "12 of 12" in _check(copy, asking)
        return
    with pytest.raises(ModelError, match="look like entailment, neutral, contradiction"):
        _check(copy, asking)


@pytest.mark.parametrize("order", list(permutations(LABELS)))
def test_outputs_in_another_order_are_named_as_they_are(order: tuple[str, ...], another_head: Any) -> None:
    """The model's rows are permuted and its names are not: the message has to say the rows' order."""
    copy = another_head([LABELS.index(label) for label in order])
    if order == LABELS:
        assert "12 of 12" in _check(copy)
        return
    with pytest.raises(ModelError, match=f"look like {', '.join(order)}, but are read as entailment"):
        _check(copy)


@pytest.mark.parametrize("names", [("entailment", NOT_ENTAILMENT), (NOT_ENTAILMENT, "entailment")])
def test_two_labels_pass_in_their_order_and_are_caught_in_the_other(
    names: tuple[str, str], another_head: Any
) -> None:
    copy = another_head([0, (1, 2)])
    file = copy / "config.json"
    config = json.loads(file.read_text(encoding="utf-8")) | _named(names)
    file.write_text(json.dumps(config), encoding="utf-8")
    if names[0] == "entailment":
        assert "12 of 12" in _check(copy)
        return
    with pytest.raises(ModelError, match="look like entailment, not_entailment, but are read as not_ent"):
        _check(copy)


def test_a_model_that_always_says_the_same_fits_no_order(another_head: Any) -> None:
    with pytest.raises(ModelError, match="no order of its labels fits") as e:
        _check(another_head([1, 1, 1]))
    assert "NLI model for this language" in e.value.remedy


class Says:
    """A scorer that says what it is told."""

    def __init__(self, numbers: Numbers) -> None:
        self.columns = NLI_COLUMNS if numbers.shape[1] == 4 else SUBJECT_COLUMNS
        self._numbers = numbers

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Any]:
        return inputs

    def scores(self, encoded: Sequence[Any]) -> Numbers:
        return self._numbers[: len(encoded)]

    def exact(self, encoded: Sequence[Any]) -> Numbers:
        return self.scores(encoded)

    def alone(self, encoded: Sequence[Any]) -> Numbers:
        return self.scores(encoded)


def _said(best: Sequence[int]) -> Says:
    numbers = np.full((len(best), 4), 0.1)
    numbers[range(len(best)), list(best)] = 0.8
    numbers[:, 3] = 0
    return Says(numbers)


@given(
    counts=st.tuples(*[st.integers(2, 9)] * 3),
    data=st.data(),
    order=st.permutations(range(3)).map(tuple).filter(lambda o: o != (0, 1, 2)),
)
def test_whoever_passes_in_one_order_fails_in_all_others(
    counts: tuple[int, ...], data: st.DataObject, order: tuple[int, ...]
) -> None:
    labels = tuple(label for label, n in zip(LABELS, counts, strict=True) for _ in range(n))
    canaries = PairCanaries(tuple(Pair("a", str(i)) for i in range(len(labels))), labels, "of a test")
    best = data.draw(st.lists(st.integers(0, 2), min_size=len(labels), max_size=len(labels)))

    def passes(said: Sequence[int]) -> bool:
        try:
            check_canaries(_said(said), canaries, "m")
        except ModelError:
            return False
        return True

    assert not (passes(best) and passes([order[b] for b in best]))
    right = [LABELS.index(label) for label in labels]
    assert passes(right)
    assert not passes([order[b] for b in right])


def test_three_of_four_suffice_and_two_do_not() -> None:
    labels = tuple(label for label in LABELS for _ in range(4))
    canaries = PairCanaries(tuple(Pair("a", str(i)) for i in range(12)), labels, "of a test")
    assert "11 of 12" in check_canaries(_said([1, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]), canaries, "m")
    with pytest.raises(ModelError, match=r"(?m)10 of 12.*a \| 0 is entailment; a \| 1 is entailment$") as e:
        check_canaries(_said([1, 2, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]), canaries, "m")
    assert "at least three in four of each label are needed" in e.value.message
    example = yaml.safe_load(e.value.remedy[e.value.remedy.index("models: ") :])
    assert ModelSettings.model_validate(example["models"]["m"]).canaries_waived
    with pytest.raises(ModelError, match=r"(?m)is neutral; and 3 more$"):  # 8 are wrong, 5 are shown
        check_canaries(_said([1] * 4 + [2] * 4 + [2] * 4), canaries, "m")


def test_questions_need_nine_in_ten() -> None:
    canaries = canaries_of(locate("builtin:nli-bart"), _asking("question"))
    assert isinstance(canaries, Canaries)
    assert len(canaries.inputs) == 10
    numbers = np.tile([0.9, 0.1, np.nan, 0.0], (10, 1))
    assert "10 of 10 canary questions right" in check_canaries(Says(numbers), canaries, "m")
    numbers[3, 1] = 0.95
    assert "9 of 10" in check_canaries(Says(numbers), canaries, "m")
    numbers[4, 1] = numbers[4, 0]
    with pytest.raises(ModelError, match="8 of 10 canary questions right") as e:
        check_canaries(Says(numbers), canaries, "m")
    assert canaries.inputs[3].texts()[1] in e.value.message
    assert "canaries_waived" in e.value.remedy


def test_who_prefers_the_first_subject_or_a_name_has_half_of_the_questions_right() -> None:
    firsts = [c.index(answer) < c.index(other) for c, _, answer, other in QUESTIONS]
    assert sum(firsts) == len(QUESTIONS) / 2
    answers, others = ([q[i] for q in QUESTIONS] for i in (2, 3))
    assert sorted(answers) == sorted(others)


def test_the_clear_cases_are_balanced() -> None:
    premises = {p for p, _, _ in PAIRS}
    assert {(p, label) for p, label, _ in PAIRS} == {(p, label) for p in premises for label in LABELS}
    assert len(PAIRS) == len({(p, h) for p, _, h in PAIRS}) == 12


def test_the_study_comes_before_the_card_and_may_waive(tmp_path: Path) -> None:
    source = locate("builtin:nli-bart")
    own = [
        CanaryPair(premise="a", hypothesis=f"{label} {i}", label=label) for label in LABELS for i in (1, 2)
    ]
    chosen = canaries_of(source, _asking(canaries=own))
    assert isinstance(chosen, Canaries)
    assert chosen.origin == "from the study"
    assert chosen.inputs[1] == Pair("a", "entailment 2")
    waived = canaries_of(source, _asking(canaries=own, canaries_waived="It is being trained."))
    assert waived == Waived("It is being trained.")
    assert check_canaries(_said([]), waived, "m") == "waived: It is being trained."
    assert isinstance(canaries_of(source, _asking("statement")), Waived)
    with pytest.raises(ModelError, match="fewer than two pairs labelled neutral, contradiction"):
        canaries_of(source, _asking(canaries=own[:3]))


def test_a_copy_of_a_built_in_model_keeps_its_canaries(tmp_path: Path) -> None:
    """Its weights are the same, though not its files: save_pretrained writes no card."""
    copy = shutil.copytree(BUILTIN / "nli-electra", tmp_path / "copy")
    (copy / "README.md").write_text("# mine", encoding="utf-8")
    original = canaries_of(locate("builtin:nli-electra"), PLAIN)
    assert canaries_of(locate(str(copy)), PLAIN) == original
    assert isinstance(original, Canaries)
    assert original.origin == "from its card"


def test_without_a_card_the_cases_are_nextsets(nli_folder: Path) -> None:
    counts: dict[FormName, int] = {"nli": 12, "qa": 8, "question": 10}
    for form, n in counts.items():
        found = canaries_of(locate(str(nli_folder)), _asking(form))
        assert isinstance(found, Canaries)
        assert (found.origin, len(found.inputs)) == ("from nextset, in English", n)


@pytest.mark.parametrize("name", NAMES)
def test_the_cards_of_the_built_in_models_bring_theirs(name: str) -> None:
    form: FormName = "question" if name.startswith("qa") else "nli"
    found = canaries_of(locate(f"builtin:{name}"), _asking(form))
    assert isinstance(found, Canaries)
    assert (found.origin == "from its card") == (name != "masked-lm")
    for asked in found.inputs if form == "question" else ():
        assert isinstance(asked, Question)
        spans = [asked.context[a:b] for a, b in asked.spans]
        assert tuple(spans) == asked.subjects


def _carded(folder: Path, tmp_path: Path, top: str) -> Any:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "README.md").write_text(top, encoding="utf-8")
    return locate(str(copy))


def test_a_card_may_have_any_yaml_that_does_not_speak_of_nextset(nli_folder: Path, tmp_path: Path) -> None:
    top = "---\nlicense: [\n!!python/object:os.system {}\n---\n# m\nnextset: no\n"
    found = canaries_of(_carded(nli_folder, tmp_path, top), PLAIN)
    assert isinstance(found, Canaries)
    assert found.origin == "from nextset, in English"


CASE = {"premise": "a", "hypothesis": "b", "label": "neutral"}
QUESTION = {"context": "a b c", "question": "d", "answer": "a", "other": "b"}


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ([], "a list of 1 to 100"),
        ([CASE] * 101, "a list of 1 to 100"),
        (CASE, "a list of 1 to 100"),
        ([{**CASE, "label": "yes"}], "label"),
        ([{**CASE, "more": 1}], "more"),
        (["a"], ""),
        ([3], ""),
        ([{**QUESTION, "answer": "x"}], "each exactly once"),
        ([{**QUESTION, "other": "a b c d"}], "each exactly once"),
        ([{"context": "a"}], "question"),
    ],
)
def test_malformed_cases_of_a_card_name_the_file(
    own: Any, problem: str, nli_folder: Path, tmp_path: Path
) -> None:
    text = yaml.safe_dump({"nextset": {"canaries": own}})
    source = _carded(nli_folder, tmp_path, f"---\n{text}---\n")
    with pytest.raises(ModelError, match="cannot be read") as e:
        canaries_of(source, PLAIN)
    assert str(source.folder / "README.md") in e.value.message
    assert problem in e.value.message


@pytest.mark.parametrize(
    "text", ["nextset:\n", "nextset: [\n", "nextset: !!python/name:os.system\n", "nextset: {canaries: *a}\n"]
)
def test_malformed_yaml_of_a_card_names_the_file(text: str, nli_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"README\.md cannot be read"):
        canaries_of(_carded(nli_folder, tmp_path, f"---\n{text}---\n"), PLAIN)


@given(st.binary(max_size=400))
def test_any_card_is_read_or_refused(data: bytes) -> None:
    import tempfile

    from nextset.scoring.canaries.card_canaries import card_canaries
    from nextset.scoring.models.sources import ModelSource

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "README.md").write_bytes(b"---\nnextset:\n" + data + b"\n---\n")
        source = ModelSource("m", Path(folder), "", "")
        try:
            assert card_canaries(source)
        except ModelError as e:
            assert "README.md" in e.message


YES_NO_LABELS = ("entailment", "contradiction") * 4


def _answered(yes: Sequence[float], no: Sequence[float]) -> Says:
    numbers = np.zeros((len(yes), 4))
    numbers[:, 0], numbers[:, 2] = yes, no
    numbers[:, 1] = 1 - numbers.sum(axis=1)
    return Says(numbers)


def test_yes_no_questions_are_asked_for_yes_and_no_alone(nli_folder: Path) -> None:
    canaries = canaries_of(locate(str(nli_folder)), _asking("qa"))
    assert isinstance(canaries, Canaries)
    assert canaries.origin == "from nextset, in English"
    assert canaries.labels == YES_NO_LABELS
    # mostly maybe, but rather yes where it is yes: a model is not refused for saying maybe
    right = _answered([0.2, 0.1] * 4, [0.1, 0.2] * 4)
    assert check_canaries(right, canaries, "m").startswith("8 of 8 canary yes/no questions right")
    # 3 of 4 yes and 4 of 4 no
    near = _answered([0.1, 0.1, *[0.2, 0.1] * 3], [0.2, 0.2, *[0.1, 0.2] * 3])
    assert check_canaries(near, canaries, "m").startswith("7 of 8")
    always = _answered([0.9] * 8, [0.1] * 8)
    with pytest.raises(ModelError, match="only 4 of 8 canary yes/no questions right") as told:
        check_canaries(always, canaries, "m")
    assert "The dog is sleeping on the sofa. | Is the dog running in the garden? is no" in told.value.message
    assert "canaries_waived" in told.value.remedy
    with pytest.raises(ModelError, match="only 0 of 8"):  # a tie is not right
        check_canaries(_answered([0.0] * 8, [0.0] * 8), canaries, "m")


def test_yes_no_canaries_of_a_study_are_those_with_a_question(nli_folder: Path) -> None:
    source = locate(str(nli_folder))
    pairs = [
        CanaryPair(premise="a", hypothesis="b", label=label, question=question)
        for label in LABELS
        for question in ("", "b?", "c?")
    ]
    found = canaries_of(source, _asking("qa", canaries=pairs))
    assert isinstance(found, Canaries)
    assert found.origin == "from the study"
    assert found.inputs == tuple(YesNoQuestion("a", q) for q in ("b?", "c?", "b?", "c?"))
    assert found.labels == ("entailment", "entailment", "contradiction", "contradiction")
    without = [pair.model_copy(update={"question": ""}) for pair in pairs]
    ours = canaries_of(source, _asking("qa", canaries=without))
    assert isinstance(ours, Canaries)
    assert ours.origin == "from nextset, in English"
    with pytest.raises(ModelError, match="fewer than two questions labelled contradiction"):
        canaries_of(source, _asking("qa", canaries=pairs[:3]))
    assert isinstance(canaries_of(source, _asking("qa", canaries_waived="no")), Waived)


def test_clear_yes_no_questions_are_balanced() -> None:
    premises = {p for p, _, _ in YES_NO}
    assert {(p, label) for p, label, _ in YES_NO} == {
        (p, label) for p in premises for label in ("entailment", "contradiction")
    }
    assert len(YES_NO) == 8
