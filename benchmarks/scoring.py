"""The built-in models on their held-out tests, the speed of scoring, the cache, memory.

python benchmarks/scoring.py            # speed needs NEXTSET_REFERENCE
python benchmarks/scoring.py --gpu      # the speed of large models on a GPU
python benchmarks/scoring.py --faults   # runs that are killed, out of memory or disk, or find changed files
python benchmarks/scoring.py retrieval  # a million passages indexed and searched
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure
from benchmarks.gpu import gpu_figures
from benchmarks.passage_search import passage_search_figures, vector_search_figures
from benchmarks.scoring_faults import scoring_fault_figures
from benchmarks.stage_cost import stage_figures
from benchmarks.throughput import throughput_figures
from makers.builtin_models.held_out_accuracy import (
    FITTING_FLOOR,
    NLI_FLOOR,
    QA_FLOOR,
    exact_matches,
    fitting_fills,
    nli_accuracy,
)
from makers.builtin_models.masked_sentences import masked_test
from makers.builtin_models.nli_pairs import held_out_pairs
from makers.builtin_models.qa_examples import held_out_questions
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.models.sources import BUILTIN, builtin_names, locate
from nextset.scoring.nli import NliClassifier
from nextset.word_lists.lexicon import read_lexicon


def main() -> None:
    """Run what the arguments ask for; by default floors, sizes, speed and the cost of the stage."""
    if "--gpu" in sys.argv:
        gpu_figures(_reference())
        return
    if "--faults" in sys.argv:
        scoring_fault_figures()
        return
    if "retrieval" in sys.argv:
        passage_search_figures()
        vector_search_figures()
        return
    _built_in()
    throughput_figures(_reference())
    stage_figures(_reference())


def _reference() -> Path:
    folder = os.environ.get("NEXTSET_REFERENCE")
    if not folder:
        raise SystemExit("set NEXTSET_REFERENCE: speed is measured on published data")
    return Path(folder)


def _built_in() -> None:
    """Print floors, then sizes."""
    lexicon = read_lexicon()
    for name in builtin_names():
        source = locate(f"builtin:{name}")
        if name == "masked-lm":
            fills = fitting_fills(MaskFiller.load(source), masked_test(lexicon))
            figure(f"{name}, fitting of the top 20", fills.mean, "at least 15", fills.mean >= FITTING_FLOOR)
        elif name.startswith("nli-"):
            right = nli_accuracy(NliClassifier.load(source), held_out_pairs(lexicon))
            figure(f"{name}, accuracy", right, "at least 0.85", right >= NLI_FLOOR)
        else:
            exact = exact_matches(SpanAnswers.load(source), held_out_questions(lexicon))
            figure(f"{name}, exact match", exact, "at least 0.80", exact >= QA_FLOOR)
    sizes = [sum(f.stat().st_size for f in p.iterdir()) / 1e6 for p in BUILTIN.iterdir() if p.is_dir()]
    figure("largest built-in model", max(sizes), "at most 5 MB", max(sizes) <= 5, "MB")
    figure("all built-in models", sum(sizes), "at most 30 MB", sum(sizes) <= 30, "MB")


if __name__ == "__main__":
    main()
