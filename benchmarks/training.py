"""The figures of training: the Trainer's speed, and the accuracy of a trained reader.

python benchmarks/training.py [speed] [reader]
"""

from __future__ import annotations

import sys
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.training_figures import reader_figures, throughput_figures


def main() -> None:
    """Run all parts, or the named ones."""
    parts = {"speed": throughput_figures, "reader": reader_figures}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
