"""The marker of a project: a word in its description by which a stopped session finds what it had made."""

from __future__ import annotations

from hashlib import blake2b

from nextset.validation.plan.events import Role

__all__ = ["marker"]


def marker(mark: str, person: str, role: Role) -> str:
    """``nextset:`` and 24 hex digits for the project of ``person`` in the session with ``mark``.

    It is part of the project's description, by which a session that was stopped finds the projects that it
    had made. It reveals nothing: ``mark`` is random and stored only in the study.
    """
    hashed = blake2b("\n".join((mark, person, role)).encode(), digest_size=12)
    return f"nextset:{hashed.hexdigest()}"
