"""The output of commands: results on stdout, errors on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from nextset.errors import NextsetError

__all__ = ["errors", "print_result"]


def print_result(text: str, as_json: bool, data: Any) -> None:
    """Print ``data`` as JSON if ``as_json``, else ``text``."""
    sys.stdout.write((json.dumps(data, indent=2, ensure_ascii=False) if as_json else text) + "\n")
    sys.stdout.flush()


_DISK = "  try: check the free disk space and the permissions there, then run again; finished work is kept"


@contextlib.contextmanager
def errors(debug: bool) -> Iterator[None]:
    """Print an expected error as a line with a remedy, and exit with its code."""
    try:
        yield
    except NextsetError as e:
        if debug:
            raise
        sys.stderr.write(f"{_one_line(f'error: {e}')}\n{_one_line(f'  try: {e.remedy}')}\n")
        raise SystemExit(e.exit_code) from None
    except BrokenPipeError:
        # The reader of the output has closed it; the rest is discarded.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as e:
        if debug:
            raise
        sys.stderr.write(f"error: {e.strerror or e}: {e.filename or 'a file'}\n{_DISK}\n")
        raise SystemExit(9) from None
    except KeyboardInterrupt:
        sys.stderr.write("stopped; run the same command again to resume\n")
        raise SystemExit(130) from None


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
