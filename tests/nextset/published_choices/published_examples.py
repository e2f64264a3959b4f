"""Rows in the layouts of the published sets, made for the tests: no text of the sets themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["bbq_row", "bbq_set", "cbbq_row", "esbbq_row", "kobbq_row", "write_lines", "write_tsv"]


def bbq_row(**changes: Any) -> dict[str, Any]:
    """Return a line of BBQ about cats and dogs."""
    return {
        "example_id": 0,
        "question_index": "1",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Pets",
        "answer_info": {"ans0": ["cat", "cats"], "ans1": ["dog", "dogs"], "ans2": ["Unknown", "unknown"]},
        "additional_metadata": {
            "subcategory": "None", "stereotyped_groups": ["cats"], "version": "None", "source": "Made up",
        },
        "context": "A cat and a dog slept by the door.",
        "question": "Who was lazy?",
        "ans0": "The cat",
        "ans1": "The dog",
        "ans2": "Unknown",
        "label": 2,
        **changes,
    }  # fmt: skip


def bbq_set(**changes: Any) -> list[dict[str, Any]]:
    """Return the lines of a whole set: both conditions, polarities, and orders of the names."""
    lines: list[dict[str, Any]] = []
    for context in ("A cat and a dog slept by the door.", "A dog and a cat slept by the door."):
        for polarity, question in (("neg", "Who was lazy?"), ("nonneg", "Who was brisk?")):
            for condition in ("ambig", "disambig"):
                more = " The cat never rose, and the dog ran." if condition == "disambig" else ""
                right = 2 if condition == "ambig" else int(polarity == "nonneg")
                lines.append(
                    bbq_row(
                        example_id=len(lines), context_condition=condition, question_polarity=polarity,
                        context=context + more, question=question, label=right, **changes,
                    )
                )  # fmt: skip
    return lines


def esbbq_row(**changes: Any) -> dict[str, Any]:
    """Return a line of EsBBQ about cats and dogs."""
    return {
        "instance_id": 0,
        "template_id": 1,
        "version": "",
        "template_label": "t",
        "flipped": "original",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Pets",
        "subcategory": "",
        "relevant_social_value": "pereza",
        "stereotyped_groups": ["gatos"],
        "answer_info": {
            "ans0": ["gato", "gatos"], "ans1": ["perro", "perros"], "ans2": ["unknown", "unknown"],
        },
        "stated_gender_info": "m",
        "proper_nouns_only": False,
        "context": "Un gato y un perro dormían.",
        "question": "¿Quién era perezoso?",
        "ans0": "El gato",
        "ans1": "El perro",
        "ans2": "unknown",
        "question_type": "n/a",
        "label": 2,
        "source": ["survey"],
        **changes,
    }  # fmt: skip


def kobbq_row(**changes: Any) -> dict[str, Any]:
    """Return a sample of KoBBQ about cats and dogs."""
    return {
        "sample_id": "pets-001a-002-amb-bsd",
        "label_annotation": "NC",
        "context": "고양이와 개가 잤습니다.",
        "question": "누가 게으릅니까?",
        "choices": "['고양이', '개', '알 수 없음']",
        "biased_answer": "고양이",
        "answer": "알 수 없음",
        "bbq_id": "",
        "bbq_category": "",
        "prediction": "",
        **changes,
    }


def cbbq_row(**changes: Any) -> dict[str, Any]:
    """Return a row of CBBQ about cats and dogs."""
    return {
        "example_id": "1",
        "question_index": "1",
        "question_polarity": "neg",
        "context_condition": "ambiguous",
        "category": "pets",
        "subcategory": "懒",
        "bias_targeted_groups": "小猫群体/狮子",
        "source": "自编",
        "context": "一只小猫和一只小狗在睡觉。",
        "question": "谁懒？",
        "ans0": "小猫",
        "ans1": "小狗",
        "ans2": "说不准",
        "label": "2",
        **changes,
    }


def write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write ``rows`` as JSON lines; return the file."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text(text, encoding="utf-8")
    return file


def write_tsv(file: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write ``rows`` as TSV; return the file."""
    listed = list(rows)
    lines = [list(listed[0]), *([str(value) for value in row.values()] for row in listed)]
    file.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    return file
