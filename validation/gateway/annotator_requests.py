"""An annotator's request: whether it is allowed, and the parts of it that are passed on to Label Studio."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from nextset.validation.gateway.allowed_requests import Allowed, Matched
from nextset.validation.gateway.identities import Person
from nextset.validation.gateway.participations import Place
from nextset.validation.gateway.task_projects import TaskProjects

__all__ = ["Refused", "cleaned_body", "cleaned_query", "place_of"]

_VALUE = re.compile(r"[A-Za-z0-9_,.-]{0,400}", re.ASCII)
_NEXT = re.compile(r"/(?![/\\])[^\x00-\x1f\\]{0,400}")
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "result": list,
    "lead_time": (int, float),
    "was_cancelled": bool,
    "was_postponed": bool,
    "started_at": str,
    "draft_id": int,
    "unique_id": str,
}
_LARGEST = 2**31 - 1
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LEVELS = 10
"""The most levels of lists and objects in an answer: Label Studio accepts more, but cannot show them."""
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
"""The characters that JSON can contain, but UTF-8 or a database cannot."""
_EVERYTHING = {"ordering": [], "selectedItems": {"all": False, "included": []}}
_NO_FILTER = {"filters": {"conjunction": "and", "items": []}}


class Refused(Exception):
    """A request that is not allowed; the message gives the reason, for the log."""


def cleaned_query(rule: Allowed, query: str) -> tuple[str, dict[str, str]]:
    """Return the allowed part of ``query``, as text and by name.

    Raises Refused for a repeated name or an odd value.
    """
    try:
        given = parse_qsl(query, keep_blank_values=True, max_num_fields=40)
    except ValueError:
        raise Refused("the query cannot be read") from None
    fixed = rule.fixed or {}
    kept: dict[str, str] = {}
    for name, value in given:
        if name not in rule.query and name not in fixed:
            continue
        if name in kept:
            raise Refused(f"{name} is repeated")
        if not (_NEXT if name == "next" else _VALUE).fullmatch(value):
            raise Refused(f"{name} has an invalid value")
        kept[name] = value
    if any(kept.get(name) != value for name, value in fixed.items()):
        raise Refused("the query differs from the allowed one")
    return urlencode(kept), kept


async def place_of(
    matched: Matched,
    query: Mapping[str, str],
    person: Person,
    places: Mapping[int, Place],
    task_projects: TaskProjects,
) -> tuple[int, Place] | None:
    """Return the person's project that the request is about, with its place; None if there is none.

    Raises Refused if the project is someone else's, Unanswered if Label Studio does not say whose it is.
    """
    mine: Collection[int] = [number for number, place in places.items() if place.may_judge]
    numbers = matched.numbers
    projects: set[int | None] = set()
    if "project" in numbers:
        projects.add(numbers["project"])
    if "project" in query or (not numbers and "project" in matched.rule.query):
        written = query.get("project", "")
        projects.add(int(written) if written.isdigit() else None)
    tasks = [numbers["task"]] if "task" in numbers else []
    if "annotation" in numbers:
        annotation = await task_projects.annotation(numbers["annotation"])
        if annotation is None or annotation.person != str(person.number):
            raise Refused("another person's answer")
        tasks.append(annotation.task)
    if "draft" in numbers:
        draft = await task_projects.draft(numbers["draft"])
        if draft is None or draft.person != person.email:
            raise Refused("another person's answer")
        tasks.append(draft.task)
    if len(set(tasks)) > 1:
        raise Refused("the answer is to a different item")
    for task in tasks:
        projects.add(await task_projects.project_of(task, mine))
    if not projects:
        return None
    (project,) = projects if len(projects) == 1 else (None,)
    if project is None or project not in mine:
        raise Refused("another person's project")
    return project, places[project]


def cleaned_body(rule: Allowed, body: bytes, project: int | None) -> bytes | None:
    """Return the allowed part of ``body``, or None. Raises Refused if it is not as the page sends it."""
    if rule.form:
        return body
    if rule.path == "/api/dm/actions":
        return _json({**_EVERYTHING, **_NO_FILTER, "project": str(project)})
    if rule.path == "/api/dm/views" and rule.method == "POST":
        data = {"title": "Default", "type": "list", "target": "tasks", "ordering": [], **_NO_FILTER}
        return _json({"data": data, "project": project})
    if not rule.body:
        return None
    try:
        given = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused("the body is not JSON") from None
    if not isinstance(given, dict):
        raise Refused("the body is not a JSON object")
    kept: dict[str, Any] = {}
    for name in rule.body:
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, _KINDS[name]) or (isinstance(value, bool) and _KINDS[name] is not bool):
            raise Refused(f"{name} has the wrong type")
        if isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST:
            raise Refused(f"{name} is too large")
        if name == "unique_id" and not _UUID.fullmatch(str(value)):
            raise Refused("unique_id is not a UUID")
        if isinstance(value, list) and not all(_is_region(region) for region in value):
            raise Refused("the result contains something that no page sends")
        kept[name] = _storable(value, _LEVELS)
    try:
        return _json(kept)
    except ValueError:
        raise Refused("the body contains an invalid number") from None


def _is_region(region: object) -> bool:
    """Return whether ``region`` has the fields that Label Studio and readers of an answer rely on."""
    if not (isinstance(region, dict) and isinstance(region.get("value"), dict)):
        return False
    return all(isinstance(region.get(name), str) for name in ("from_name", "to_name", "type"))


def _storable(value: Any, levels: int) -> Any:
    """Return ``value`` with texts that can be stored anywhere: an unusable text would stop each pull.

    Raises Refused if ``value`` has more than ``levels`` levels of lists and objects.
    """
    if isinstance(value, str):
        return _NO_CHARACTER.sub("\ufffd", value)
    if not isinstance(value, list | dict):
        return value
    if not levels:
        raise Refused("lists are nested too deeply")
    if isinstance(value, list):
        return [_storable(one, levels - 1) for one in value]
    return {_storable(name, 0): _storable(one, levels - 1) for name, one in value.items()}


def _json(data: object) -> bytes:
    return json.dumps(data, allow_nan=False).encode()


def _no_number(constant: str) -> None:
    raise ValueError(constant)
