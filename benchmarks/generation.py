"""Filling masks, the language packs, and the published sets of UnQover and BBNLI: counts and cost.

NEXTSET_REFERENCE=FOLDER python benchmarks/generation.py
python benchmarks/generation.py triggers    only the search for triggers, a few minutes
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from benchmarks.filling import fill_figures
from benchmarks.language_packs import pack_figures
from benchmarks.questions import question_figures
from benchmarks.readings import reading_figures
from benchmarks.trigger_search import trigger_figures
from nextset.generation.template_expansion import expand
from nextset.generation.templates.template_files import read_template

CODE = """
import sys, pathlib
from nextset.generation.template_expansion import expand
from nextset.generation.templates.template_files import read_template
files = sorted(pathlib.Path(sys.argv[1]).rglob("*.json"))
expand([read_template(f) for f in files], tests=True, max_rows=10**9)
"""


def main() -> None:
    """Measure packs and filling, then the published files: counts in this process, cost in a separate one."""
    if sys.argv[1:] == ["triggers"]:
        trigger_figures()
        return
    pack_figures()
    fill_figures()
    reading_figures()
    reference = os.environ.get("NEXTSET_REFERENCE")
    if not reference:
        sys.exit("NEXTSET_REFERENCE is not set: it must name the folder of the published files")
    question_figures(Path(reference))
    folder = Path(reference) / "bbnli"
    templates = [read_template(f) for f in sorted(folder.rglob("*.json"))]
    counts = expand(templates, tests=True, max_rows=10**9).counts
    for name, goal in (("full product", 62_808), ("audit rows", 2_290), ("test rows", 1_352)):
        figure(f"published BBNLI, {name}", counts[name], f"{goal:,}", counts[name] == goal)
    cost = ran([sys.executable, "-c", CODE, folder])
    figure("expansion of the 16 files", cost.cpu_seconds, "at most 2 CPU s", cost.cpu_seconds <= 2, "CPU s")
    figure("expansion of the 16 files, memory", cost.megabytes, "measured only", True, "MB")


if __name__ == "__main__":
    main()
