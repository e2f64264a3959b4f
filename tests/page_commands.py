"""The commands of the release pages or another page, run against a Hub and a chat model on this machine.

`python -m tests.page_commands` updates the outputs in the pages of `PAGES` that have changed, and
`python -m tests.page_commands PAGE` those in another page.

Blocks: `console` (lines with `$` are commands, the others their output), `python` (its output is the `text`
block after it), and `yaml` or `csv`, whose first line says where it belongs: `# PATH` is a whole file,
`# in PATH` replaces keys of one. A comment `<!-- run … -->` has commands for what a person does by hand.
A `…` in an output stands for anything in its line; a line that is only `…` stands for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.forked_commands import forked_python
from tests.release.loopback_hub import LoopbackHub, serving
from tests.release.loopback_hub_client import client_environment
from tests.scoring.model_server.refusing_model import refusing_model
from tests.scoring.model_server.scripted_server import ScriptedServer, scripted

__all__ = ["PAGES", "Step", "joined", "output_matches", "page_with", "run_steps", "steps_of"]

ROOT = Path(__file__).parents[1]
PAGES = tuple(
    ROOT / "docs" / "how_to" / f"{name}.md" for name in ("release", "later_versions", "use_a_version")
)
"""The pages on releases; each continues the one before it."""
_PAGE_BREAK = "\f\n"
_BLOCK = re.compile(r"^(?:```|<!-- )(console|python|text|yaml|csv|run)\n(.*?)^(?:```|-->)\n", re.M | re.S)
_FILE = re.compile(r"# (in )?(\S+\.\w+)")
_ANY = "…"


@dataclass(frozen=True)
class Step:
    """A file that is written, or a command and its output."""

    kind: str
    """yaml, console or python."""
    text: str
    """The content, the command or the code."""
    start: int
    """Where the output begins in the page; -1 if the page shows none."""
    end: int
    """Where it ends."""
    output: str
    """The output, as the page shows it or as the command gave it."""


def steps_of(page: str) -> list[Step]:
    """Return the steps of ``page`` in their order."""
    found: list[Step] = []
    for block in _BLOCK.finditer(page):
        kind, body, at = block[1], block[2], block.start(2)
        if kind == "console":
            found += _commands(body, at)
        elif kind == "text":
            assert found[-1].kind == "python", body
            found[-1] = replace(found[-1], start=at, end=block.end(2), output=body)
        elif kind in ("python", "run") or _FILE.match(body):
            found.append(Step({"run": "console", "csv": "yaml"}.get(kind, kind), body, -1, -1, ""))
    return found


def _commands(body: str, at: int) -> Iterator[Step]:
    starts = [m.start() for m in re.finditer(r"^\$ ", body, re.M)]
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        line = body.index("\n", start) + 1
        while body[start:line].endswith("\\\n"):
            line = body.index("\n", line) + 1
        yield Step("console", body[start + 2 : line].strip(), at + line, at + end, body[line:end])


def output_matches(shown: str, given: str) -> bool:
    """Return whether an output is the one that the page shows."""
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == _ANY:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split(_ANY)) + "\n"
    return re.fullmatch(pattern, given) is not None


def page_with(page: str, steps: list[Step]) -> str:
    """Return ``page`` with the outputs of ``steps``, its first steps, where the page shows others."""
    shown_steps = steps_of(page)[: len(steps)]
    for shown, given in zip(reversed(shown_steps), reversed(steps), strict=True):
        if shown.start >= 0 and not output_matches(shown.output, given.output):
            page = page[: shown.start] + _shortened(shown.output, given.output) + page[shown.end :]
    return page


def _shortened(shown: str, given: str) -> str:
    """Return the output ``given``, left out where the page ``shown`` leaves lines or words out."""
    old, new = shown.splitlines(), given.splitlines()
    kept: list[str] = []
    at = 0
    for i, line in enumerate(old):
        if line.strip() == _ANY:
            after = old[i + 1] if i + 1 < len(old) else None
            same = (k for k in range(at, len(new)) if after and output_matches(after, f"{new[k]}\n"))
            at = next(same, len(new))
            kept.append(line)
        elif at < len(new):
            kept.append(line if output_matches(line, f"{new[at]}\n") else new[at])
            at += 1
    text = "".join(f"{line}\n" for line in [*kept, *new[at:]])
    return text if output_matches(text, given) else given


def run_steps(page: str, folder: Path) -> Iterator[Step]:
    """Yield the steps of ``page`` with the outputs that they give in ``folder``, which is empty."""
    with (
        serving(folder / "hub") as hub,
        scripted(refusing_model) as chat,
        forked_python(environment := _environment(hub, chat, folder)) as programs,
    ):
        environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
        place = folder / "work"
        place.mkdir()
        for step in steps_of(page):
            if step.kind == "yaml":
                _write(step.text, place)
                yield step
                continue
            command = ["bash", "-c", step.text] if step.kind == "console" else [f"{programs}/python", "-"]
            done = subprocess.run(
                command,
                input=step.text if step.kind == "python" else "",
                cwd=place,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if step.kind == "console" else subprocess.PIPE,
                encoding="utf-8",
                check=False,
            )
            output = _normalised(done.stdout, hub, place)
            assert "Traceback" not in output + (done.stderr or ""), f"{step.text}\n{output}{done.stderr}"
            refused = re.search(r"^error: ", output, re.M) is not None
            assert refused == (done.returncode != 0), f"{step.text}\n{output}"
            yield replace(step, output=output)


def _environment(hub: LoopbackHub, chat: ScriptedServer, folder: Path) -> dict[str, str]:
    own = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])),
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
        "NEXTSET_CACHE": str(folder / "cache"),
        "CHAT_SERVER": chat.address,
        "CHAT_KEY": "a-key-for-this-test",
        "NEXTSET_PSEUDONYM_KEY": "a key for this test, long enough",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "COLUMNS": "200",
    }
    return client_environment(hub.url, folder / "home", **own)


def _write(block: str, place: Path) -> None:
    head, body = block.split("\n", 1)
    named = _FILE.match(head)
    assert named is not None
    file = place / named[2]
    if not named[1]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
        return
    text = file.read_text(encoding="utf-8")
    for section in re.findall(r"^[a-z]\w*:.*\n(?:(?:[ \t-].*)?\n)*", body, re.M):
        key = section.split(":")[0]
        # a replacement as text would have its backslashes read
        whole = section.replace("\\", r"\\") + "\n"
        text, n = re.subn(rf"^{key}:.*\n(?:(?:[ \t-].*)?\n)*", whole, text, flags=re.M)
        assert n == 1, f"{file.name} has {n} sections {key}"
    file.write_text(text, encoding="utf-8")


def _normalised(output: str, hub: LoopbackHub, place: Path) -> str:
    """Return an output without that which differs from one machine to another."""
    text = output.replace(hub.url, "https://huggingface.co").replace(f"{place.resolve()}/", "…/")
    text = text.replace("\ufeff", "")
    text = re.sub(r"\b[0-9][0-9,]* bytes\b", "… bytes", text)
    text = re.sub(r"^\w+: (?:preparing|[\d,]+ of [\d,]+ parts?)\b.*\n", "", text, flags=re.M)  # if slow
    text = re.sub(r"(\bcommit )[0-9a-f]{8}\b", r"\1…", text)
    lines = [line.rstrip() for line in text.splitlines()]
    return "".join(f"{line}\n" for line in "\n".join(lines).strip("\n").split("\n") if lines)


def joined(pages: Sequence[Path]) -> str:
    """Return the texts of ``pages``, one after the other, as one page."""
    return _PAGE_BREAK.join(page.read_text(encoding="utf-8") for page in pages)


def _main() -> None:
    files = (Path(sys.argv[1]),) if sys.argv[1:] else PAGES
    page = joined(files)
    steps: list[Step] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for step in run_steps(page, Path(folder)):
                sys.stdout.write(f"{step.kind}: {step.text.splitlines()[0]}\n")
                sys.stdout.flush()
                steps.append(step)
    finally:  # also if a step failed: its outputs may have to be seen before the page can be corrected
        written = page_with(page, steps)
        for file, before, after in zip(
            files, page.split(_PAGE_BREAK), written.split(_PAGE_BREAK), strict=True
        ):
            file.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{file}: as it was\n" if after == before else f"wrote {file}\n")


if __name__ == "__main__":
    _main()
