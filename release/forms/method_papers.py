"""The papers whose methods a dataset follows, as the card and CITATION.cff name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["BBNLI", "BBNLI_NEXT", "BBQ", "UNQOVER", "MethodPaper"]


@dataclass(frozen=True)
class MethodPaper:
    """A paper that describes a method."""

    line: str
    """The paper on one line of the card."""
    fields: Mapping[str, Any]
    """Its fields in CITATION.cff; authors are pairs of given and family names."""


BBNLI = MethodPaper(
    "BBNLI: Akyürek et al. (2022). On Measuring Social Biases in Prompt-Based Multi-Task Learning. "
    "Findings of NAACL 2022.",
    {
        "type": "conference-paper",
        "title": "On Measuring Social Biases in Prompt-Based Multi-Task Learning",
        "authors": [
            ("Afra Feyza", "Akyürek"), ("Sejin", "Paik"), ("Muhammed Yusuf", "Kocyigit"), ("Seda", "Akbiyik"),
            ("Şerife Leman", "Runyun"), ("Derry", "Wijaya"),
        ],
        "year": 2022,
        "collection-title": "Findings of the Association for Computational Linguistics: NAACL 2022",
    },
)  # fmt: skip
BBNLI_NEXT = MethodPaper(
    "BBNLI-next: Baldini et al. (2023). Keeping Up with the Language Models: Systematic Benchmark Extension "
    "for Bias Auditing. arXiv:2305.12620.",
    {
        "type": "article",
        "title": (
            "Keeping Up with the Language Models: Systematic Benchmark Extension for Bias Auditing"
        ),
        "authors": [
            ("Ioana", "Baldini"), ("Chhavi", "Yadav"), ("Manish", "Nagireddy"), ("Payel", "Das"),
            ("Kush R.", "Varshney"),
        ],
        "year": 2023,
        "url": "https://arxiv.org/abs/2305.12620",
    },
)  # fmt: skip
UNQOVER = MethodPaper(
    "UnQover: Li et al. (2020). UNQOVERing Stereotyping Biases via Underspecified Questions. "
    "Findings of EMNLP 2020.",
    {
        "type": "conference-paper",
        "title": "UNQOVERing Stereotyping Biases via Underspecified Questions",
        "authors": [
            ("Tao", "Li"), ("Daniel", "Khashabi"), ("Tushar", "Khot"), ("Ashish", "Sabharwal"),
            ("Vivek", "Srikumar"),
        ],
        "year": 2020,
        "collection-title": "Findings of the Association for Computational Linguistics: EMNLP 2020",
    },
)  # fmt: skip
BBQ = MethodPaper(
    "BBQ: Parrish et al. (2022). BBQ: A Hand-Built Bias Benchmark for Question Answering. "
    "Findings of ACL 2022.",
    {
        "type": "conference-paper",
        "title": "BBQ: A Hand-Built Bias Benchmark for Question Answering",
        "authors": [
            ("Alicia", "Parrish"), ("Angelica", "Chen"), ("Nikita", "Nangia"), ("Vishakh", "Padmakumar"),
            ("Jason", "Phang"), ("Jana", "Thompson"), ("Phu Mon", "Htut"), ("Samuel", "Bowman"),
        ],
        "year": 2022,
        "collection-title": "Findings of the Association for Computational Linguistics: ACL 2022",
    },
)  # fmt: skip
