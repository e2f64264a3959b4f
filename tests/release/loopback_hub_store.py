"""The content and the commits of the loopback Hub: blobs on disk by their hash, commits with parents."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

__all__ = ["HubStore"]

File = dict[str, Any]


class HubStore:
    """Repositories, commits and references; blobs and commits are files in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.blobs, self.logs = folder / "blobs", folder / "commits"
        for made in (self.blobs, self.logs):
            made.mkdir(parents=True, exist_ok=True)
        self.repositories: dict[str, dict[str, Any]] = {}
        self.refs: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._made = 0

    def has(self, sha256: str) -> bool:
        return (self.blobs / sha256).is_file()

    def content(self, sha256: str) -> bytes:
        return (self.blobs / sha256).read_bytes()

    def keep(self, raw: bytes) -> File:
        """Store ``raw``, and return it as a file that is not in LFS."""
        sha256 = hashlib.sha256(raw).hexdigest()
        (self.blobs / sha256).write_bytes(raw)
        return {"sha256": sha256, "oid": _git(raw), "size": len(raw), "lfs": False}

    def pointer(self, sha256: str) -> File:
        """Return a stored content as a file in LFS."""
        size = (self.blobs / sha256).stat().st_size
        text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n"
        return {"sha256": sha256, "oid": _git(text.encode()), "size": size, "lfs": True}

    def create(self, repo: str, *, private: bool = False) -> None:
        self.repositories[repo] = {"private": private, "gated": False}
        self.commit(
            repo,
            "main",
            {".gitattributes": self.keep(b"*.parquet filter=lfs\n")},
            "initial commit",
            "",
            "system",
        )

    def commit(
        self, repo: str, branch: str, files: dict[str, File], title: str, message: str, author: str
    ) -> str:
        """Make a commit on ``branch``, and return its id; dates are a minute apart."""
        self._made += 1
        date = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=self._made)
        made = {
            "parent": self.refs[repo, "heads"].get(branch),
            "title": title,
            "message": message,
            "author": author,
            "date": date.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "files": dict(sorted(files.items())),
        }
        raw = json.dumps([repo, self._made, made]).encode()
        oid = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        (self.logs / oid).write_text(json.dumps(made), encoding="utf-8")
        self.refs[repo, "heads"][branch] = oid
        return oid

    def add_file(self, repo: str, branch: str, path: str, raw: bytes, author: str, title: str) -> str:
        """Commit one file, as a colleague would through the page of the repository."""
        files = {**self.files(self.refs[repo, "heads"][branch]), path: self.keep(raw)}
        return self.commit(repo, branch, files, title, "", author)

    def read(self, commit: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.logs / commit).read_text(encoding="utf-8"))
        return found

    def files(self, commit: str) -> dict[str, File]:
        files: dict[str, File] = self.read(commit)["files"]
        return files

    def history(self, commit: str | None) -> list[dict[str, Any]]:
        """Return the commits up to ``commit``, as the API lists them."""
        found = []
        while commit is not None:
            made = self.read(commit)
            shown = {key: made[key] for key in ("title", "message", "date")}
            found.append({"id": commit, "authors": [{"user": made["author"]}], **shown})
            commit = made["parent"]
        return found

    def resolve(self, repo: str, rev: str) -> str | None:
        rev = rev.removeprefix("refs/heads/").removeprefix("refs/tags/")
        named = self.refs[repo, "heads"].get(rev) or self.refs[repo, "tags"].get(rev)
        return named or (rev if len(rev) == 40 and (self.logs / rev).is_file() else None)

    def entries(self, commit: str, path: str, recursive: bool) -> list[dict[str, Any]]:
        """Return files and folders under ``path``, as the API lists them."""
        found, folders, start = [], {}, f"{path.rstrip('/')}/" if path else ""
        for name, file in self.files(commit).items():
            if not name.startswith(start):
                continue
            steps = name[len(start) :].split("/")
            for i in range(1, len(steps)):
                folder = start + "/".join(steps[:i])
                if recursive or i == 1:
                    folders[folder] = {
                        "type": "directory",
                        "path": folder,
                        "oid": _git(folder.encode()),
                        "size": 0,
                    }
            if recursive or len(steps) == 1:
                entry = {"type": "file", "path": name, "oid": file["oid"], "size": file["size"]}
                if file["lfs"]:
                    entry["lfs"] = {"oid": file["sha256"], "size": file["size"], "pointerSize": 130}
                found.append(entry)
        return [*folders.values(), *found]


def _git(raw: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()
