"""A scorer whose batches do not fit into memory; prints what came of it.

python -m tests.scoring.short_of_memory MEGABYTES…: so much more than it holds when all is loaded and read.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.models.sources import locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair

__all__: list[str] = []

TOKENS = 1 << 17
"""A batch that is larger than the memory left."""
WORDS = ("a nurse", "the judge", "slept", "ate a pear", "went home", "in the garden", "and", "sang")


def pairs() -> list[Pair]:
    """4,000 pairs of 6 to 60 words."""
    texts = [" ".join(WORDS[(i * k) % 8] for k in range(1, 3 + i % 12)) for i in range(4_000)]
    return [Pair(f"{text}.", f"{WORDS[i % 8]} {i}.") for i, text in enumerate(texts)]


def used() -> int:
    """Bytes of address space."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def main() -> None:
    """Score with room, then with less and less."""
    classifier = NliClassifier.load(locate("builtin:nli-electra"))
    encoded = classifier.encoded(pairs())
    wanted = classifier.scores(encoded)
    found: list[dict[str, object]] = []
    for megabytes in map(int, sys.argv[1:]):
        classifier.budget.tokens = TOKENS
        resource.setrlimit(resource.RLIMIT_AS, (used() + megabytes * 1_000_000, resource.RLIM_INFINITY))
        try:
            numbers = classifier.scores(encoded)
            same = bool((numbers[:, :3].argmax(1) == wanted[:, :3].argmax(1)).all())
            near = float(np.abs(numbers - wanted).max())
            found.append(
                {"megabytes": megabytes, "tokens": classifier.budget.tokens, "same": same, "off": near}
            )
        except ModelError as e:
            found.append({"megabytes": megabytes, "error": str(e)})
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
