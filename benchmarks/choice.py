"""Questions with options: the cost of KoBBQ's templates, and of the measures of as many items as BBQ has.

python benchmarks/choice.py               # the measures
python benchmarks/choice.py REFERENCE     # and the templates, in the folder with kobbq/
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from benchmarks.measured_choices import measure_figures

__all__ = ["generation_figures"]

TEMPLATES = "kobbq/KoBBQ_templates.tsv"
ITEMS = 76_048
"""The published number of items (Jin et al. 2024); the published file of templates gives 520 more."""


def main() -> None:
    """Print the figures; in a process of its own, expand the templates and print what that took."""
    match sys.argv[1:]:
        case ["expand", file]:
            _expand(Path(file))
        case [reference]:
            generation_figures(Path(reference))
            measure_figures()
        case _:
            measure_figures()


def generation_figures(reference: Path) -> None:
    """Expand KoBBQ's templates in a process of its own, table after table."""
    done = ran([sys.executable, __file__, "expand", reference / TEMPLATES])
    quick, small = done.cpu_seconds <= 5, done.megabytes <= 500
    figure("KoBBQ generated, with imports", done.cpu_seconds, "at most 5 CPU s", quick, "CPU s")
    figure("its memory", done.megabytes, "at most 500 MB", small, "MB")
    _expand(reference / TEMPLATES)


def _expand(file: Path) -> None:
    """Print the number of items and the CPU seconds after imports."""
    from nextset.generation.choices.published_templates.set_expansion import Expansion, template_tables
    from nextset.generation.choices.published_templates.template_tables import read_templates

    began = time.process_time()
    tables = template_tables(read_templates(file, "ko").templates, Expansion())
    items = sum(table.num_rows for table in tables)
    seconds = time.process_time() - began
    figure("KoBBQ's items", items, f"at least {ITEMS:,}", items >= ITEMS)
    figure("their generation, after imports", seconds, "at most 5 CPU s", seconds <= 5, "CPU s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figure("memory of this process", peak, "at most 500 MB", peak <= 500, "MB")


if __name__ == "__main__":
    main()
