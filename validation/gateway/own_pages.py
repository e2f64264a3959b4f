"""The gateway's own pages: the next step in a session, and the reason for a refused request."""

from __future__ import annotations

import hashlib
import math
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse

from nextset.errors import StudyError
from nextset.validation.annotator_pages.page_wording import Wording, load_wording, wording_file
from nextset.validation.gateway.next_step import NextStep
from nextset.validation.gateway.participations import Participation

if TYPE_CHECKING:
    import jinja2

__all__ = ["ASSETS", "WAITS", "asset_address", "message_page", "step_page", "with_head", "wording_of"]

ASSETS = Path(__file__).parent / "assets"
"""The folder of the styles and scripts of these pages, and of those added to Label Studio's pages."""

WAITS = "waits"
"""The name in the query of a session's link with which a waiting page asks to be answered after the pull."""

_REFRESH = 1
"""Seconds until a waiting page reloads."""


@cache
def asset_address(name: str) -> str:
    """Return the address of a file of `ASSETS`, which changes when the file changes."""
    digest = hashlib.sha256((ASSETS / name).read_bytes()).hexdigest()[:12]
    return f"/nextset/assets/{name}?v={digest}"


def wording_of(part: Participation | None) -> Wording:
    """Return the wording of the session's pages; English without a session."""
    if part is not None and part.settings is not None:
        own = part.folder / part.settings.wording if part.settings.wording else None
        if wording := _wording(part.language, own, _stamp(part.language, own)):
            return wording  # otherwise the study has changed; people still need a page with the next step
    wording = _wording("en", None, None)
    assert wording is not None, "it comes with nextset"
    return wording


@lru_cache(maxsize=200)
def _wording(language: str, folder: Path | None, stamp: object) -> Wording | None:
    """Return the wording, or None if it cannot be read; read once, and again if ``stamp`` has changed."""
    try:
        return load_wording(language, folder)
    except StudyError:
        return None


def _stamp(language: str, folder: Path | None) -> tuple[str, int, int] | None:
    """Return the wording's file with its modification time and size; None if there is none."""
    try:
        path = wording_file(language, ".yaml", folder)
        stat = path.stat()
    except (StudyError, OSError):
        return None
    return str(path), stat.st_mtime_ns, stat.st_size


def step_page(part: Participation, step: NextStep, email: str) -> HTMLResponse:
    """Return the page that shows a person's next step."""
    words = wording_of(part).pages
    headings = {
        "moment": words.moment,
        "break": words.rest,
        "done": words.done,
        "closed": words.closed,
        "stopped": words.stopped,
        "paused": words.paused,
        "disagreed": words.disagreed,
        "misunderstood": words.misunderstood,
    }
    before, after = words.opens.split("{time}")
    return _page(
        wording_of(part),
        heading=headings[step.step],
        lines={"done": [words.nothing_left], "moment": [words.moment_next]}.get(step.step, []),
        email=email,
        gate=f"/projects/{step.project}/data?labeling=1" if step.project and step.step != "moment" else "",
        support=part.settings.support if part.settings else "",
        waits=step.step == "moment",
        after_pull=f"/nextset/session/{part.key}?{WAITS}=1" if step.step == "moment" else "",
        come_back=step.step in ("break", "done"),
        opens=step.opens,
        opens_before=before,
        opens_after=after,
    )


def message_page(
    part: Participation | None,
    status: int,
    message: str,
    email: str = "",
    *,
    link: str = "",
    waits: bool = False,
) -> HTMLResponse:
    """Return a page with one message and a link to continue: ``link``, or one to the session of ``part``."""
    link = link or (f"/nextset/session/{part.key}" if part else "")
    return _page(wording_of(part), heading=message, email=email, link=link, status=status, waits=waits)


@cache
def _template() -> jinja2.Template:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("own_page.html.j2")


def _page(
    wording: Wording,
    *,
    heading: str,
    email: str = "",
    lines: list[str] | None = None,
    gate: str = "",
    support: str = "",
    waits: bool = False,
    after_pull: str = "",
    come_back: bool = False,
    link: str = "",
    opens: datetime | None = None,
    opens_before: str = "",
    opens_after: str = "",
    status: int = 200,
) -> HTMLResponse:
    html = _template().render(
        wording=wording,
        words=wording.pages,
        heading=heading,
        lines=lines or [],
        email=email,
        gate=gate,
        support=f"{wording.headings.support} {support}" if support else "",
        come_back=come_back,
        waits=waits,
        link=link,
        opens=opens,
        wait=max(0, math.ceil((opens - datetime.now(UTC)).total_seconds())) + 1 if opens else 0,
        opens_before=opens_before,
        opens_after=opens_after,
        style=asset_address("own_pages.css"),
        script=asset_address("own_pages.js"),
    )
    headers = {"Cache-Control": "no-store"}
    if waits:
        headers["Refresh"] = f"0; url={after_pull}" if after_pull else str(_REFRESH)
    return HTMLResponse(html, status, headers)


def with_head(page: bytes, parts: bytes) -> bytes:
    """Return the page with ``parts`` at the end of its head; unchanged if it has no head."""
    at = page.find(b"</head>")
    return page if at < 0 else page[:at] + parts + page[at:]
