"""Label Studio's answers without other people: their names, e-mails, answers and drafts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from nextset.validation.gateway.identities import Person
from nextset.validation.label_studio.http_retries import Unanswered

__all__ = ["without_other_people"]

_NAMES = ("email", "username", "first_name", "last_name", "initials", "phone", "avatar")
_TEXTS = ("data", "result", "label_config", "expert_instruction", "parsed_label_config")
"""The texts that people judge, write and read: unchanged, even if they contain names."""


def without_other_people(content: bytes, person: Person) -> bytes:
    """Return Label Studio's JSON answer ``content`` without other people's data, for ``person``.

    Raises Unanswered if it is not JSON.
    """
    try:
        return json.dumps(_shown(json.loads(content), person)).encode()
    except (ValueError, RecursionError):
        raise Unanswered("Label Studio's answer is not JSON", remedy="try again") from None


def _shown(value: Any, person: Person) -> Any:
    if isinstance(value, list):
        return [_shown(one, person) for one in value if not _is_others_answer(one, person)]
    if not isinstance(value, dict):
        return value
    shown = {name: one if name in _TEXTS else _shown(one, person) for name, one in value.items()}
    if "email" in value and not _is_own(value["email"], person):
        shown |= {name: "" for name in _NAMES if value.get(name)}
    if "created_username" in value and person.email not in str(value["created_username"]).lower():
        shown["created_username"] = ""
    return shown


def _is_others_answer(value: Any, person: Person) -> bool:
    """Return whether ``value`` is another person's annotation or draft."""
    if not (isinstance(value, Mapping) and "result" in value):
        return False
    by = value.get("completed_by")
    number = by.get("id") if isinstance(by, Mapping) else by
    user = value.get("user")
    return (isinstance(number, int) and number != person.number) or (
        isinstance(user, str) and not _is_own(user, person)
    )


def _is_own(email: object, person: Person) -> bool:
    return isinstance(email, str) and email.strip().lower() == person.email
