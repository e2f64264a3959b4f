"""The requests that an annotator may make: everything else is refused.

There is one line per request, with its reason. Numbers in a path, and ``project`` in a query, must belong to
the annotator. Only the names given here are passed on to Label Studio from the query and from a JSON body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

__all__ = ["ALLOWED", "Allowed", "Matched", "allowed"]

_ANSWER = ("result", "lead_time", "was_cancelled", "started_at", "draft_id", "unique_id")
_DRAFT = ("result", "lead_time", "was_postponed")
_NUMBERS = ("project", "task", "annotation", "draft")


@dataclass(frozen=True)
class Allowed:
    """An allowed request."""

    method: str
    """The HTTP method; GET stands for HEAD too."""
    path: str
    """The path; ``{project}``, ``{task}``, ``{annotation}``, ``{draft}`` are numbers, ``{file}`` a path."""
    reason: str
    """The step of logging in or judging that needs it."""
    query: tuple[str, ...] = ()
    """The names in its query that are passed on; ``project``, if named here, is required."""
    body: tuple[str, ...] = ()
    """The keys of its JSON body that are passed on."""
    fixed: Mapping[str, str] | None = None
    """The names in its query that must have this value."""
    before_login: bool = False
    """True if it is also allowed before login."""
    form: bool = False
    """True if its body is a form, which is passed on as it is."""

    @property
    def content_type(self) -> str:
        """The content type that replaces the request's own: otherwise the body could be read as a form."""
        return "application/x-www-form-urlencoded" if self.form else "application/json"

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The path as a regular expression, with or without a slash at its end."""
        named = re.escape(self.path.rstrip("/")).replace(r"\{", "{").replace(r"\}", "}")
        for name in _NUMBERS:
            named = named.replace(f"{{{name}}}", rf"(?P<{name}>[1-9][0-9]{{0,9}})")
        return re.compile(named.replace("{file}", r"(?P<file>[A-Za-z0-9_~.@/-]+)") + "/?", re.ASCII)


@dataclass(frozen=True)
class Matched:
    """A request that is allowed if its numbers belong to the annotator."""

    rule: Allowed
    """The rule that allows it."""
    numbers: Mapping[str, int]
    """The numbers in its path, by name."""


ALLOWED: tuple[Allowed, ...] = (
    Allowed("GET", "/user/login/", "the login page", ("next",), before_login=True),
    Allowed("POST", "/user/login/", "logging in", ("next",), before_login=True, form=True),
    Allowed("GET", "/logout", "logging out", before_login=True),
    Allowed("POST", "/logout", "logging out", before_login=True, form=True),
    Allowed(
        "GET", "/static/{file}", "styles, scripts, fonts and pictures of the pages", ("v",), before_login=True
    ),
    Allowed("GET", "/react-app/{file}", "scripts and styles of the pages", ("v",), before_login=True),
    Allowed("GET", "/favicon.ico", "the picture in the browser's tab", before_login=True),
    Allowed("GET", "/sw.js", "the page's service worker, a script", before_login=True),
    Allowed("GET", "/sw-fallback.js", "the page's service worker, a script", before_login=True),
    Allowed(
        "GET",
        "/heidi-tips",
        "a tip on the login page, which the gateway answers: there is none",
        before_login=True,
    ),
    Allowed("GET", "/health", "whether the server runs", before_login=True),
    Allowed("GET", "/api/version", "the page asks for the version of Label Studio"),
    Allowed("GET", "/api/current-user/whoami", "the page asks who is logged in"),
    Allowed("GET", "/api/current-user/hotkeys", "the page asks for the person's hotkeys"),
    Allowed("GET", "/projects/{project}/data", "the labelling page", fixed={"labeling": "1"}),
    Allowed("GET", "/api/projects/{project}", "the page's configuration and guidelines"),
    Allowed(
        "GET", "/api/projects/{project}/label-stream-history", "the way back to answered items", ("project",)
    ),
    Allowed("GET", "/api/dm/project", "how many items there are", ("project", "interaction", "include")),
    Allowed("GET", "/api/dm/columns", "the fields of an item", ("project",)),
    Allowed("GET", "/api/dm/views", "the order of the items", ("project",)),
    Allowed("POST", "/api/dm/views", "the order of the items, if there is none yet", ("project", "tabID")),
    Allowed("GET", "/api/ml", "whether there are models: there are none", ("project",)),
    Allowed("GET", "/api/label_links", "whether labels are linked: none are", ("project", "expand")),
    Allowed("GET", "/api/users", "people's names: only the person's own", ("project",)),
    Allowed(
        "GET",
        "/api/tasks",
        "the items, and which of them are answered",
        ("project", "page", "page_size", "include"),
    ),
    Allowed("GET", "/api/tasks/{task}", "an item", ("project",)),
    Allowed("POST", "/api/dm/actions", "the next item", ("project", "tabID"), fixed={"id": "next_task"}),
    Allowed("GET", "/api/tasks/{task}/annotations", "the answer to an item", ("project",)),
    Allowed("POST", "/api/tasks/{task}/annotations", "answering or skipping", ("project",), _ANSWER),
    Allowed("GET", "/api/annotations/{annotation}", "an answer", ("project",)),
    Allowed("PATCH", "/api/annotations/{annotation}", "changing one", ("project", "taskID"), _ANSWER[:-1]),
    Allowed("GET", "/api/tasks/{task}/drafts", "an answer that is not submitted yet", ("project",)),
    Allowed("POST", "/api/tasks/{task}/drafts", "keeping what is not submitted yet", ("project",), _DRAFT),
    Allowed(
        "POST", "/api/tasks/{task}/annotations/{annotation}/drafts", "keeping a change", ("project",), _DRAFT
    ),
    Allowed("PATCH", "/api/drafts/{draft}", "keeping what is not submitted yet", ("project",), _DRAFT),
)


def allowed(method: str, path: str) -> Matched | None:
    """Return the rule that allows ``method`` on ``path``, with the numbers; None if there is none.

    A path with an escape, a double slash or ``..`` matches no rule.
    """
    wanted = "GET" if method == "HEAD" else method
    if "//" in path or "/." in path:
        return None
    for rule in ALLOWED:
        if rule.method == wanted and (match := rule.pattern.fullmatch(path)):
            numbers = {name: int(match[name]) for name in _NUMBERS if name in match.re.groupindex}
            return Matched(rule, numbers)
    return None
