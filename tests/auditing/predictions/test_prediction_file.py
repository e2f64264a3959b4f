"""Published prediction files: what is read, and what is refused."""

from __future__ import annotations

import copy
import gzip
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.array_types import Floats
from nextset.auditing.predictions import prediction_entries as streaming
from nextset.auditing.predictions.prediction_file import (
    is_prediction_file,
    prediction_name,
    read_predictions,
)
from nextset.auditing.predictions.subject_orders import Predictions
from nextset.errors import InputError
from tests.auditing.predictions.prediction_example import (
    key_of,
    predictions,
    published_analysis,
    write_predictions,
)
from tests.mutations import mutated


def _numbers(predictions: Predictions) -> tuple[float, float, Floats]:
    """δ, ε and C, by equations 2, 4 and 6 over the columns."""
    x12, y12, x21, y21, x12n, y12n, x21n, y21n = predictions.scores
    delta = np.abs([x12 - x21, y12 - y21, x12n - x21n, y12n - y21n]).mean(axis=0).mean()
    epsilon = np.abs([x12 - y12n, y12 - x12n, x21 - y21n, y21 - x21n]).mean(axis=0).mean()
    c = 0.25 * ((x12 + x21 - x12n - x21n) - (y12 + y21 - y12n - y21n))
    return float(delta), float(epsilon), c


def test_an_entry_is_read_as_the_paper_has_it(tmp_path: Path) -> None:
    """Figure 2: Gerald .26/.54/.35/.12, Jennifer .73/.45/.62/.86; √(p · p) = p, and C = .1575."""
    scores = {"Gerald": (0.26, 0.54, 0.35, 0.12), "Jennifer": (0.73, 0.45, 0.62, 0.86)}
    entries: dict[str, Any] = {}
    for order, (first, second) in enumerate((("Gerald", "Jennifer"), ("Jennifer", "Gerald"))):
        entries[key_of(first, second)] = {
            f"q{q}": {
                f"ans{i}": {"text": x, "start": scores[x][2 * q + order], "end": scores[x][2 * q + order]}
                for i, x in enumerate((first, second))
            }
            for q in (0, 1)
        }
    read = read_predictions(write_predictions(tmp_path / "a.output.json", entries))
    quads = read.columns
    assert quads.subjects == ("Gerald", "Jennifer")
    assert (quads.clusters, quads.attribute_clusters, quads.form) == (("",), ("",), "question")
    expected = [0.26, 0.73, 0.54, 0.45, 0.35, 0.62, 0.12, 0.86]
    assert read.scores[:, 0] == pytest.approx(expected, abs=1e-15)
    assert _numbers(read)[2][0] == pytest.approx(0.1575, abs=1e-15)


@given(seed=st.integers(0, 2**32), packed=st.booleans())
def test_the_numbers_are_those_of_the_published_analysis(
    tmp_path_factory: pytest.TempPathFactory, seed: int, packed: bool
) -> None:
    rng = Random(seed)
    subjects = ("left_Ana", "right_Bo", "left_Cy", "bo", "Eva")[: rng.randint(2, 5)]
    entries = predictions(rng, subjects, rng.randint(1, 3))
    order = list(entries)
    rng.shuffle(order)
    file = tmp_path_factory.getbasetemp() / "shuffled.output.json"
    write_predictions(file, {key: entries[key] for key in order})
    if packed:
        file.write_bytes(gzip.compress(file.read_bytes()))
    read, expected = read_predictions(file), published_analysis(entries)
    quads = read.columns
    delta, epsilon, c = _numbers(read)
    assert delta == pytest.approx(expected.delta, abs=1e-12)
    assert epsilon == pytest.approx(expected.epsilon, abs=1e-12)
    for i, subject in enumerate(quads.subjects):
        for j, attribute in enumerate(quads.attributes):
            own = quads.attribute == j
            of_subject = [*c[own & (quads.subject1 == i)], *-c[own & (quads.subject2 == i)]]
            place = (subject.lower(), attribute.lower())
            assert np.mean(of_subject) == pytest.approx(expected.gamma[place], abs=1e-12)
            assert np.mean(np.sign(of_subject)) == pytest.approx(expected.eta_of[place], abs=1e-12)


@given(seed=st.integers(0, 2**32))
def test_the_order_of_the_file_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = Random(seed)
    entries = predictions(rng)
    order = list(entries)
    rng.shuffle(order)
    folder = tmp_path_factory.getbasetemp()
    first = read_predictions(write_predictions(folder / "one.output.json", entries))
    other = read_predictions(write_predictions(folder / "two.output.json", {k: entries[k] for k in order}))
    assert np.array_equal(first.scores, other.scores)
    for name, values in vars(first.columns).items():
        assert np.array_equal(values, vars(other.columns)[name]), name


def test_spellings_that_differ_by_case_are_one(tmp_path: Path) -> None:
    entries = predictions(Random(1), ("Ana", "Bo"), 1)
    spelled = {key.replace("Ana|", "ANA|") if i % 2 else key: e for i, (key, e) in enumerate(entries.items())}
    assert "ANA" in str(spelled)
    quads = read_predictions(write_predictions(tmp_path / "a.output.json", spelled)).columns
    assert (quads.subjects, len(quads.template)) == (("ANA", "Bo"), 2)


def test_the_spelling_of_a_name_does_not_depend_on_the_order_of_the_file(tmp_path: Path) -> None:
    """Subjects, attributes and clusters are written in two ways, in one file and in its reverse."""
    entries = predictions(Random(1), ("left_Ana", "right_Bo"), 1)
    keys = {
        k: k.replace("was late", "Was Late").replace("left", "LEFT") if i % 2 else k
        for i, k in enumerate(entries)
    }
    found = []
    for order in (list(entries), list(entries)[::-1]):
        file = write_predictions(tmp_path / "a.output.json", {keys[k]: entries[k] for k in order})
        quads = read_predictions(file).columns
        found.append((quads.subjects, quads.attributes, quads.clusters, quads.templates))
    assert found[0] == found[1]
    assert found[0][:2] == (("LEFT_Ana", "right_Bo"), ("Was Late 0",))


def test_statements_are_recognised_by_their_context(tmp_path: Path) -> None:
    entries = predictions(Random(1))
    for entry in entries.values():
        del entry["line"]
        entry["context"] = "NA"
    quads = read_predictions(write_predictions(tmp_path / "a.output.json", entries)).columns
    assert quads.form == "statement"


def _with(change: Any) -> bytes:
    entries = predictions(Random(2), ("Ana", "Bo"), 1)
    changed = change(entries)
    return json.dumps(entries if changed is None else changed).encode()


def _answer(entries: Any, **values: Any) -> None:
    entries[key_of("Ana", "Bo", 0, "was late 0")]["q1"]["ans0"].update(values)


def _exchange(entries: Any) -> None:
    answers = entries[key_of("Ana", "Bo", 0, "was late 0")]["q1"]
    answers["ans0"]["text"], answers["ans1"]["text"] = "BO", " Ana"


WRONG: dict[str, tuple[bytes, str]] = {
    "empty file": (b"", "the file is empty"),
    "no entries": (b" {} ", "the file has no predictions"),
    "a list": (b"[]", "not a JSON object"),
    "not JSON": (b"line,context\n", "not a JSON object"),
    "seven fields": (_with(lambda e: {"a|b|c|d|e|f|g": 1}), "7 fields instead of 8"),
    "nine fields": (_with(lambda e: {"a|b|c|d|e|f|g|h|i": 1}), "9 fields instead of 8"),
    "one field": (_with(lambda e: {"\x1b[31m": 1}), "1 field instead of 8"),
    "equal subjects": (_with(lambda e: {"||Bo|bO|0|||": 1}), "are the same"),
    "a number": (_with(lambda e: {key_of("A", "B"): 1}), "has no q0"),
    "no q1": (_with(lambda e: [e.pop("q1") for e in e.values()] and None), "has no q1"),
    "no end": (_with(lambda e: e[key_of("Ana", "Bo", 0, "was late 0")]["q1"]["ans1"].pop("end") and None),
               "has no q1.ans1.end"),
    "above 1": (_with(lambda e: _answer(e, start=1.1)), "has 1.1 as its q1.ans0.start"),
    "below 0": (_with(lambda e: _answer(e, end=-0.1)), "has -0.1 as its q1.ans0.end"),
    "NaN": (_with(lambda e: _answer(e, end=float("nan"))), "NaN is not a probability"),
    "infinite": (_with(lambda e: _answer(e, end=0)).replace(b'"end": 0,', b'"end": 1e999,').replace(
        b'"end": 0}', b'"end": 1e999}'), "has inf as its q1.ans0.end"),
    "a text": (_with(lambda e: _answer(e, end="0.5")), "has '0.5' as its q1.ans0.end"),
    "not asked": (_with(lambda e: _answer(e, end="")), "has no prediction"),
    "true": (_with(lambda e: _answer(e, end=True)), "has True as its q1.ans0.end"),
    "no counterpart": (_with(lambda e: e.pop(key_of("Ana", "Bo", 0, "was late 0")) and None),
                       "1 entry has no counterpart"),
    "no counterparts": (_with(lambda e: {k: v for k, v in e.items() if "Ana|Bo" in k}),
                        "2 entries have no counterpart"),
    "again in capitals": (_with(lambda e: e | {k.upper(): v for k, v in e.items()}), "4 keys are repeated"),
    "the same key": (b"{" + b",".join([_with(lambda e: None)[1:-1]] * 2) + b"}", "4 keys are repeated"),
    "a repeated q0": (b'{"||A|B|0|||": {"q0": 1, "q0": 2}}', "repeated (2 times"),
    "clusters": (_with(lambda e: {k.replace("||Ana", "a|b|Ana"): v for k, v in e.items()}),
                 "the subject 'Bo' is in more than one cluster"),
    "two clusters": (_with(lambda e: {("a|b" if "|1|None" in k else "c|d") + k[1:]: v for k, v in e.items()}),
                     "is in more than one cluster"),
    "half a character": (_with(lambda e: {k.replace("Ana", "A\ud800"): v for k, v in e.items()}),
                         "has a control character or one that is not text"),
    "a control character": (_with(lambda e: {k.replace("late", "la\x1bte"): v for k, v in e.items()}),
                            "has a control character"),
    "exchanged answers": (_with(lambda e: _exchange(e)), "has the second subject as its q1.ans0"),
    "two forms": (_with(lambda e: e[key_of("Ana", "Bo", 0, "was late 0")].update(context="NA")),
                  "1 of 4 entries have the context 'NA'"),
    "not UTF-8": (b'{"\xff": 1}', "not text in UTF-8"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "not text in UTF-8"),
    "more text": (_with(lambda e: None) + b"{}", "more text after"),
    "deep lists": (b'{"||A|B|0|||": ' + b"[" * 200_000, "nested too deeply"),
    "a long number": (b'{"||A|B|0|||": ' + b"9" * 10_000 + b"}", "integer string conversion"),
    "damaged gzip": (gzip.compress(_with(lambda e: None))[:-20], "compressed file is cut off or damaged"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    raw, why = WRONG[name]
    file = tmp_path / "a.output.json"
    file.write_bytes(raw)
    with pytest.raises(InputError) as found:
        read_predictions(file)
    assert why in found.value.message
    assert found.value.file == file
    assert found.value.remedy
    assert "\x1b" not in str(found.value)
    assert len(str(found.value)) < 1400


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    raw = write_predictions(tmp_path / "whole.output.json", predictions(Random(3))).read_bytes()
    file = tmp_path / "cut.output.json"
    for length in (1, 100, len(raw) // 2, len(raw) - 200, len(raw) - 5, len(raw) - 1):
        file.write_bytes(raw[:length])
        with pytest.raises(InputError, match="cut off"):
            read_predictions(file)


@given(seed=st.integers(0, 2**32))
def test_damage_is_refused_or_harmless(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = Random(seed)
    file = tmp_path_factory.getbasetemp() / "damaged.output.json"
    file.write_bytes(mutated(write_predictions(file, predictions(rng, ("Ana", "Bo"), 1)).read_bytes(), rng))
    try:
        quads = read_predictions(file)
    except InputError:
        return
    assert quads.scores.shape == (8, 2)  # other texts or numbers, which nobody can know
    assert np.isfinite(quads.scores).all()


def test_entries_at_every_place_of_the_window_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With windows of a few characters, entries end at their edges too."""
    entries = predictions(Random(4))
    file = write_predictions(tmp_path / "a.output.json", entries)
    whole = read_predictions(file)
    longest = max(len(json.dumps({k: e}, indent=4)) for k, e in entries.items())
    monkeypatch.setattr(streaming, "LONGEST_ENTRY", longest)
    for size in (longest, longest + 1, longest + 17):
        monkeypatch.setattr(streaming, "READ_AT_ONCE", size)
        assert np.array_equal(read_predictions(file).scores, whole.scores)


def test_a_long_entry_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "LONGEST_ENTRY", 1000)
    monkeypatch.setattr(streaming, "READ_AT_ONCE", 4000)
    file = tmp_path / "a.output.json"
    file.write_text(json.dumps({"||A|B|0|||": "a" * 10_000}))
    with pytest.raises(InputError, match="more than 1,000 characters"):
        read_predictions(file)


def test_progress_is_told_in_megabytes_to_the_end(tmp_path: Path) -> None:
    entries = predictions(Random(5))
    entries = {f"{k}{i}": copy.deepcopy(e) for i in range(10) for k, e in entries.items()}
    for entry in entries.values():
        entry["context"] = "a" * 50_000
    file = write_predictions(tmp_path / "a.output.json", entries)
    told: list[tuple[int, int]] = []
    read_predictions(file, progress=lambda stage: lambda done, total: told.append((done, total)))
    size = file.stat().st_size >> 20
    assert size >= 10
    assert told[-1] == (size, size)
    assert len(told) > 2
    assert told == sorted(told)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.output.json")
    for file, why in (
        (tmp_path, "folder"),
        (tmp_path / "pipe.output.json", "pipe"),
        (tmp_path / "b", "read"),
    ):
        with pytest.raises(InputError, match=why):
            read_predictions(file)


def test_names_of_files() -> None:
    assert is_prediction_file(Path("a/bert.output.json"))
    assert is_prediction_file(Path("bert.output.json.gz"))
    assert not is_prediction_file(Path("manifest.json"))
    assert prediction_name(Path("a/gender.bert.output.json.gz")) == "gender.bert"
