"""The published items and templates of BBQ, KoBBQ, EsBBQ and CaBBQ: every item follows from its template."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.generation.choices.published_templates.korean_form_slips import with_particle
from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.set_expansion import Expansion, template_tables
from nextset.generation.choices.published_templates.set_texts import set_texts
from nextset.generation.choices.published_templates.template_tables import read_templates
from nextset.generation.choices.published_templates.text_slips import entries_of
from nextset.records.choice_items import biased_options

pytestmark = pytest.mark.reference

BBQ = {"Age": 3680, "Disability_status": 1556, "Nationality": 3080, "Religion": 1200}
"""The published numbers of items (Parrish et al. 2022)."""
NOT_DRAWN = {("4", "a"): (3, 6), ("4", "b"): (0, 6), ("19", "b"): (0, 2)}
"""The versions in Disability_status with fewer pairs in the published items than in their lists, and both
numbers. The authors' script cuts a list at a semicolon, and loses NAME2 if it is not the last list."""


def test_every_sample_of_kobbq_is_generated(reference: Path) -> None:
    templates = read_templates(reference / "kobbq" / "KoBBQ_templates.tsv", "ko").templates
    # 19,142 products of names and words; the paper counts 76,048 items, of an earlier state of the file
    assert (len(templates), sum(map(Expansion().rows, templates))) == (570, 19_142 * 4)
    by_id = {f"{t.category.lower()}-{int(t.number):03}{t.version}": t for t in templates}
    samples = _rows(reference / "kobbq" / "KoBBQ_test_samples.tsv")
    assert len(samples) == 2_280
    for sample in samples:
        template_id, number = sample["sample_id"].rsplit("-", 3)[:2]
        assert _sample(by_id[template_id], int(number) - 1, sample["sample_id"]) == (
            sample["context"],
            sample["question"],
            sorted(json.loads(sample["choices"].replace("'", '"'))),
            sample["answer"],
            sample["biased_answer"],
        )


def _sample(template: PublishedTemplate, number: int, sample_id: str) -> tuple[object, ...]:
    """Return context, question, options, answer and biased answer of the item with the published id."""
    assert template.sample_id is not None
    [text] = [
        t
        for t in set_texts(template, number)
        if template.sample_id(number, t.condition == "ambiguous", t.polarity == "negative") == sample_id
    ]
    options = (*text.people, template.unknown[0])
    people = template.pairs[number // template.wordings]
    target = [person.targeted for person in people].index(True)
    assert not people[1 - target].targeted
    [biased] = biased_options(3, text.polarity, target, 2)
    return text.context, text.question, sorted(options), options[text.right], options[biased]


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text, delimiter="\t"))


def test_kobbqs_forms_are_those_of_the_sound_rule(reference: Path) -> None:
    changed, wrong = Counter[str](), []
    for template in read_templates(reference / "kobbq" / "KoBBQ_templates.tsv", "ko").templates:
        entries = entries_of(template)
        for slot in (slot for text in template.texts.values() for slot in text.slots()):
            for entry in entries[slot.name]:
                form = entry.form(slot.form)
                if form.startswith(entry.text) and form != entry.text:
                    changed[form.removeprefix(entry.text)] += 1
                    wrong += [form] if with_particle(entry.text, form) != form else []
    assert wrong == []
    assert sum(changed[p] for p in "은는이가을를과와") > 2_500
    assert changed["으로"] + changed["로"] > 15


@pytest.mark.parametrize("category", BBQ)
def test_every_item_of_bbq_follows_from_template_and_vocabulary(reference: Path, category: str) -> None:
    read = read_templates(reference / "bbq" / "templates" / f"{category}.csv", "en")
    templates = {(t.number, t.version): _Reached(t) for t in read.templates}
    published = list(_published(reference / "bbq" / "unifiedqa" / f"preds_{category}.jsonl"))
    assert len(published) == BBQ[category]
    counts = Counter[tuple[str, ...]]()
    for item in published:
        key = item["question_index"], item["additional_metadata"]["version"].replace("None", "")
        assert templates[key].reaches(item), item["example_id"]
        counts[*key, item["context_condition"], item["question_polarity"]] += 1
    for key, reached in templates.items():
        drawn, listed = NOT_DRAWN.get(key, (0, 0)) if category == "Disability_status" else (0, 0)
        pairs = reached.drawn_pairs()
        assert pairs == (listed or pairs)
        for condition in ("ambig", "disambig"):
            for polarity in ("neg", "nonneg"):
                assert counts[*key, condition, polarity] == (drawn if listed else pairs)


def _published(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


class _Reached:
    """The texts that a template gives, for each pair of people that published items ask for."""

    def __init__(self, template: PublishedTemplate) -> None:
        self._template = template
        self._pairs: dict[frozenset[str], list[int]] = {}
        self._texts: dict[int, set[object]] = {}
        for i in range(len(template.pairs)):
            self._pairs.setdefault(frozenset(p.text for p in template.pairs[i]), []).append(i)

    def drawn_pairs(self) -> int:
        """Return the number of published pairs: at most five targets × five others, both ways."""
        [(first, second)] = self._template.pairs.blocks
        if len(self._template.swaps) == 1:
            return len(first) * len(second)
        return 2 * min(5, len(first)) * min(5, len(second))

    def reaches(self, item: Mapping[str, Any]) -> bool:
        """Return whether the template gives the context, the question, the options and the right one."""
        info = [item["answer_info"][f"ans{i}"] for i in range(3)]
        options = [item[f"ans{i}"] for i in range(3)]
        unknown = [group == "unknown" for _, group in info].index(True)
        ambiguous = item["context_condition"] == "ambig"
        right = None if ambiguous else options[item["label"]]
        people = frozenset(options[:unknown] + options[unknown + 1 :])
        wanted = (item["context"], item["question"], people, right)
        named = frozenset(name for i, (name, _) in enumerate(info) if i != unknown)
        assert options[unknown] in self._template.unknown
        assert not ambiguous or item["label"] == unknown
        return any(wanted in self._of_pair(pair) for pair in self._pairs[named])

    def _of_pair(self, pair: int) -> set[object]:
        if pair not in self._texts:
            first = pair * self._template.wordings
            self._texts[pair] = {
                (
                    t.context,
                    t.question,
                    frozenset(t.people),
                    (*t.people, None)[t.right],
                )
                for number in range(first, first + self._template.wordings)
                for t in set_texts(self._template, number)
            }
        return self._texts[pair]


@pytest.mark.parametrize("language", ["es", "ca"])
def test_esbbq_and_cabbq_are_generated(reference: Path, language: str) -> None:
    """All 648 published items of religion, and no others."""
    folder = reference / "esbbq"
    templates = read_templates(folder / "Religion.xlsx", language).templates
    items = pa.concat_tables(template_tables(templates, Expansion())).to_pylist()
    ours = set()
    for row in items:
        texts = [option["text"] for option in row["options"]]
        ours.add(
            (row["template_id"], row["context"], row["question"], frozenset(texts), texts[row["label"]],
             texts[row["target"]])
        )  # fmt: skip
    published = set()
    for item in _published(folder / f"data_{language}_Religion.jsonl"):
        texts = [item[f"ans{i}"] for i in range(3)]
        published.add(
            (f"Religion-{item['template_id']}", item["context"], item["question"], frozenset(texts),
             texts[item["label"]], texts[0])
        )  # fmt: skip
    assert len(items) == len(published) == 648
    assert ours == published


def test_all_templates_of_bbq_are_read(reference: Path) -> None:
    files = sorted((reference / "bbq" / "templates").glob("[A-Z]*.csv"))
    sizes = {}
    for file in files:
        templates = read_templates(file, "en").templates
        few = Expansion(subset=2)
        rows = pa.concat_tables(template_tables(templates, few)).num_rows
        assert rows == sum(map(few.rows, templates))
        assert [t.id for t in templates if not any(p.targeted for p in t.pairs[0])] == []
        sizes[file.stem] = len(templates)
    assert sizes == {
        "Age": 50, "Disability_status": 50, "Gender_identity": 60, "Nationality": 25,
        "Physical_appearance": 50, "Race_ethnicity": 50, "Race_x_SES": 26, "Race_x_gender": 42,
        "Religion": 25, "SES": 38, "Sexual_orientation": 25,
    }  # fmt: skip
