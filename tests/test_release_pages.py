"""The release pages: every command of the maintainer's steps gives the output that the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_commands import PAGES, Step, joined, output_matches, page_with, run_steps, steps_of

SHORT = """Do this.

```yaml
# mine/study.yaml
name: mine
```

```console
$ echo one; \\
  echo two
one
two
$ echo three
four …
```

```python
print(5)
```

```text
5
```

```python
x = 1
```

```sh
not run
```
"""


def test_the_steps_of_a_page_are_found_with_their_outputs() -> None:
    assert [(s.kind, s.text.split("\n")[0], s.output) for s in steps_of(SHORT)] == [
        ("yaml", "# mine/study.yaml", ""),
        ("console", "echo one; \\", "one\ntwo\n"),
        ("console", "echo three", "four …\n"),
        ("python", "print(5)", "5\n"),
        ("python", "x = 1", ""),
    ]


@pytest.mark.parametrize(
    ("shown", "given", "same"),
    [
        ("made 3\n", "made 3\n", True),
        ("made 3\n", "made 4\n", False),
        ("made …\n", "made 4\n", True),
        ("commit …, tag v1\n", "commit ab, tag v2\n", False),
        ("one\n…\nfour\n", "one\ntwo\nthree\nfour\n", True),
        ("one\n…\nfour\n", "one\nfour\n", True),
        ("one\n…\nfour\n", "one\ntwo\n", False),
        ("a.c\n", "abc\n", False),
        ("", "", True),
        ("", "more\n", False),
    ],
)
def test_an_ellipsis_stands_for_what_varies(shown: str, given: str, same: bool) -> None:
    assert output_matches(shown, given) is same


def test_only_outputs_that_changed_are_written_anew() -> None:
    steps = steps_of(SHORT)
    steps[2] = Step("console", "echo three", 0, 0, "three\n")
    assert page_with(SHORT, steps) == SHORT.replace("four …", "three")


@pytest.mark.slow
def test_the_walk_of_the_release_pages_gives_what_the_pages_show(tmp_path: Path) -> None:
    page = joined(PAGES)
    for shown, given in zip(steps_of(page), run_steps(page, tmp_path), strict=True):
        if shown.start >= 0:
            assert output_matches(shown.output, given.output), (
                f"{given.text}\n\ngives\n\n{given.output}\nThe pages show\n\n{shown.output}\n"
                "`python -m tests.page_commands` writes the outputs anew."
            )
