"""The language packs of word_lists: rows per CPU second, all classes expanded in both forms, in memory."""

from __future__ import annotations

import time

from benchmarks.figures import figure
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.product_rows import blocks, full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.word_lists import FOLDER

__all__ = ["pack_figures"]

PLAIN, WITH_RULES = 200_000, 50_000
"""The goals, in quads per CPU second, for packs without and with sound rules."""


def pack_figures() -> None:
    """Print one line per pack: rows over the CPU time from the read pack to tables in memory."""
    for folder in sorted(p.parent for p in FOLDER.glob("*/pack.yaml")):
        pack = read_pack(folder)
        rows = sum(s.rows for s in pack.sets)
        began = time.process_time()
        for questions in pack.sets:
            for block in blocks(questions):
                quad_table(questions, full_cells(questions, block))
        speed = rows / (time.process_time() - began)
        rules = any(s.rules for s in pack.sets)
        goal = WITH_RULES if rules else PLAIN
        name = f"pack {pack.language}, {rows:,} quads and statements{', with sound rules' if rules else ''}"
        figure(name, speed, f"at least {goal:,}", speed >= goal, "per CPU s")
