"""The marker in a project's description: a session that was stopped finds its projects by it."""

from __future__ import annotations

from hashlib import blake2b

from nextset.validation.plan.events import Role

__all__ = ["marker"]


def marker(mark: str, person: str, role: Role) -> str:
    """Return ``nextset:`` and 24 hex digits for the project of ``person`` in the session with ``mark``.

    The marker is part of the project's description; a session that was stopped finds its projects by it. It
    reveals nothing: ``mark`` is random and stored only in the study.
    """
    hashed = blake2b("\n".join((mark, person, role)).encode(), digest_size=12)
    return f"nextset:{hashed.hexdigest()}"
