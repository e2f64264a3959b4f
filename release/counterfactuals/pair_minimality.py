"""The tokens other than group terms that differ between two texts.

Group terms, "a" or "an" before them and the possessive after them may differ if the terms replace each other.
Everything else is a difference.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from nextset.letter_case import begins_sentence
from nextset.release.counterfactuals.group_terms import GroupTerms
from nextset.release.counterfactuals.term_spelling import capitals_of

__all__ = ["Differences", "GroupPairs", "Minimality"]

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 1000

GroupPairs = frozenset[tuple[str, frozenset[str]]]
"""Sets, each with two of its groups."""


@dataclass(frozen=True)
class Differences:
    """The tokens other than group terms that differ between two texts; both empty if none differ."""

    first: tuple[str, ...]
    """Tokens of the first text."""
    second: tuple[str, ...]
    """Tokens of the second text."""

    def __bool__(self) -> bool:
        return bool(self.first or self.second)


@dataclass(frozen=True)
class _Token:
    """A word, a punctuation mark, a space, or a group term with its article and possessive."""

    key: str
    """A key that is equal for tokens that may replace each other."""
    text: str
    term: str
    """The term in lower case; empty if the token is not a term."""
    written: str = ""
    """The term as written in the text."""
    begins: bool = False
    """True if the term begins a sentence."""


class Minimality:
    """Compares texts in one language, with the lexicon of that language or only the groups of bindings."""

    def __init__(self, terms: GroupTerms | None) -> None:
        self._terms = terms
        # A study has few pairs of groups, but a file may have any number.
        self._pattern = functools.lru_cache(maxsize=256)(_pattern)
        self._bound = functools.lru_cache(maxsize=256)(self._bound_pairs)

    def differences(
        self,
        first: str,
        second: str,
        groups: tuple[str, str] | None,
        *,
        literal: bool = False,
        allowed: GroupPairs | None = None,
    ) -> Differences:
        """Return the tokens other than group terms that differ between the texts.

        ``groups`` are the groups of the bindings. Without bindings, any two groups of one set may differ, or
        only the groups that are ``allowed``. A term that is the same in both texts although its group is
        swapped elsewhere is a difference, and so are different capitals. In ``literal`` texts (from a
        template), only the groups of the bindings are swapped.
        """
        if first == second:
            return Differences((), ())
        return self._compared(first, second, groups, literal, allowed)[0]

    def groups_between(self, first: str, second: str, groups: tuple[str, str] | None) -> GroupPairs | None:
        """Return the lexicon's groups that the texts swap, or None if they swap no term."""
        return self._compared(first, second, groups, False, None)[1]

    def names_swapped(
        self, text: str, groups: tuple[str, str] | None, allowed: GroupPairs | None, *, literal: bool
    ) -> bool:
        """Return whether ``text`` has one of ``groups`` or a term of the ``allowed`` groups."""
        exact = tuple(g.lower() for g in groups) if groups else ()
        pattern = self._pattern((*exact, *(self._terms.by_form if self._terms and not literal else ())))
        tokens = _tokens(text, pattern)
        return any(self._swaps(tokens, i, exact, None if literal else allowed) for i in range(len(tokens)))

    def _compared(
        self,
        first: str,
        second: str,
        groups: tuple[str, str] | None,
        literal: bool,
        allowed: GroupPairs | None,
    ) -> tuple[Differences, GroupPairs | None]:
        exact = groups or ()
        lower = tuple(g.lower() for g in exact)
        forms = (*lower, *(self._terms.by_form if self._terms else ()))
        bound = None
        if lower and _skeleton(first, self._pattern(lower)) == _skeleton(second, self._pattern(lower)):
            own = _tokens(first, self._pattern(lower)), _tokens(second, self._pattern(lower))
            bound = self._by_token(*own, exact, True, allowed)
            if bound[0] or literal:
                return bound
        one, two = _tokens(first, self._pattern(forms)), _tokens(second, self._pattern(forms))
        if bound is not None and [t.key for t in one] != [t.key for t in two]:
            return bound
        comparison = self._by_token(one, two, exact, literal, allowed)
        if not comparison[0]:
            return comparison
        # White Americans and Hispanic Americans: the lexicon has only the second as a single term.
        short = self._pattern(tuple(form for form in forms if " " not in form))
        again = self._by_token(_tokens(first, short), _tokens(second, short), exact, literal, allowed)
        return comparison if again[0] else again

    def names_group(self, text: str, groups: tuple[str, str] | None) -> bool:
        """Return whether ``text`` has one of ``groups``, or without groups a term of the lexicon."""
        forms = (
            tuple(g.lower() for g in groups) if groups else tuple(self._terms.by_form if self._terms else ())
        )
        for name, pair in self._bound(forms) if groups else ():
            terms_by_form = self._terms.by_form.items() if self._terms else ()
            forms += tuple(f for f, ts in terms_by_form if any(t.set == name and t.group in pair for t in ts))
        return bool(forms) and self._pattern(forms).search(text) is not None

    def _by_token(
        self,
        one: Sequence[_Token],
        two: Sequence[_Token],
        groups: tuple[str, ...],
        literal: bool,
        allowed: GroupPairs | None,
    ) -> tuple[Differences, GroupPairs | None]:
        """Return the differences, and the lexicon's groups that are swapped (None if no term is swapped)."""
        first: list[str] = []
        second: list[str] = []
        exact = tuple(g.lower() for g in groups)
        shared = self._bound(exact) if exact else allowed
        same: list[tuple[int, int]] = []
        for code, i, j, k, m in _opcodes([t.key for t in one], [t.key for t in two]):
            left, right = one[i:j], two[k:m]
            if code == "equal":
                for n, (a, b) in enumerate(zip(left, right, strict=True)):
                    if a.term == b.term:
                        same += [(i + n, k + n)] if a.term else []
                        continue
                    fits = bool(exact) and {a.term, b.term} == set(exact)
                    if not fits:
                        pairs = self._between(a.term, b.term)
                        shared = pairs if shared is None else shared & pairs
                    if not ((fits or shared) and self._same_capitals(a, b, groups)):
                        first.append(a.text)
                        second.append(b.text)
            elif not (len(left) == len(right) and all(map(self._agree, left, right))):
                first += [t.text for t in left]
                second += [t.text for t in right]
        for at, other in same:
            if self._swaps(one, at, exact, None if literal else shared):
                first.append(one[at].text)
                second.append(two[other].text)
        return Differences(tuple(first), tuple(second)), shared

    def _swaps(
        self, tokens: Sequence[_Token], at: int, exact: tuple[str, ...], shared: GroupPairs | None
    ) -> bool:
        """Return whether the token is a term that must differ if ``exact`` and ``shared`` are swapped."""
        token = tokens[at]
        if not token.term or token.term in exact:
            return bool(token.term)
        if self._terms is None or not shared:
            return False
        after = tokens[at + 2].text.lower() if at + 2 < len(tokens) and tokens[at + 1].text == " " else ""
        return any(
            term.set == name and term.group in pair and not pair.isdisjoint(term.others)
            for term in self._terms.by_form.get(token.term, ())
            for name, pair in shared
            if capitals_of(token.written, term.form)
            and (term.kind != "before_nouns" or after in self._terms.nouns)
        )

    def _same_capitals(self, first: _Token, second: _Token, groups: tuple[str, ...]) -> bool:
        """Return whether two terms have the same capitals, ignoring the first letter of a sentence."""
        one, two = (self._capitals(token, groups) for token in (first, second))
        if first.begins or second.begins:
            one, two = ({"all"} & one or {""}, {"all"} & two or {""})
        return not one or not two or not one.isdisjoint(two)

    def _capitals(self, token: _Token, groups: tuple[str, ...]) -> set[str]:
        forms = {g for g in groups if g.lower() == token.term}
        forms |= {t.form for t in (self._terms.by_form.get(token.term, ()) if self._terms else ())}
        styles: set[str] = set()
        for form in forms:
            capitals = capitals_of(token.written, form)
            if capitals:
                styles.add("first" if capitals == "each word" else capitals)
            if capitals == "as declared" and form[0].isupper():
                styles.add("first")
        return styles

    def _agree(self, first: _Token, second: _Token) -> bool:
        words = frozenset((first.text.lower(), second.text.lower()))
        return self._terms is not None and words in self._terms.agreement

    def _between(self, first: str, second: str) -> GroupPairs:
        """Return the groups whose terms ``first`` and ``second`` replace each other."""
        return frozenset(
            (term.set, frozenset((term.group, group)))
            for term in (self._terms.by_form.get(first, ()) if self._terms else ())
            for group, form in term.others.items()
            if form.lower() == second
        )

    def _bound_pairs(self, exact: tuple[str, ...]) -> GroupPairs:
        """Return the lexicon's groups that the two groups of bindings name."""
        if self._terms is None or len(exact) != 2:
            return frozenset()
        one, two = (self._terms.groups_of(group) for group in exact)
        return frozenset((s, frozenset((a, b))) for s, a in one for other, b in two if s == other and a != b)


def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of an article, one of ``forms`` as a whole word, and a possessive."""
    # The longest forms come first, so that "Muslim women" is found before "women".
    longest = sorted(set(forms), key=lambda form: (-len(form), form))
    words = "|".join(re.escape(form) for form in longest) or r"(?!)"
    return re.compile(
        rf"(?:(?<!\w)(an?)(\s+[\"'“”‘’(\[]*))?(?<!\w)({words})(?!\w)(['’]s?(?!\w))?", re.IGNORECASE
    )


def _key(match: re.Match[str]) -> tuple[str, str]:
    """Return the key of a term, and the matched text after it that does not belong to the term."""
    mark = match[4] or ""
    # 'ladies': if a quote is directly before the term, the mark after it is the end of a quotation.
    quoted = match.string[match.start(3) - 1 : match.start(3)] in ("'", "‘", "’")
    possessive = len(mark) == 2 or (mark != "" and match[3][-1] in "sS" and not quoted)
    return (
        f"\0{'a' if match[1] else ''}{match[2] or ''}\0{'’' if possessive else ''}\0",
        "" if possessive else mark,
    )


def _skeleton(text: str, pattern: re.Pattern[str]) -> str:
    """Return ``text`` with its terms replaced by their keys."""
    return pattern.sub(lambda match: "".join(_key(match)), text)


def _tokens(text: str, pattern: re.Pattern[str]) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    for match in pattern.finditer(text):
        key, rest = _key(match)
        tokens += [_Token(w, w, "") for w in _WORD.findall(text, at, match.start())]
        token = match[0].removesuffix(rest) if rest else match[0]
        begins = begins_sentence(text, match.start(3))
        tokens.append(_Token(key, token, match[3].lower(), match[3], begins))
        tokens += [_Token(rest, rest, "")] if rest else []
        at = match.end()
    return tokens + [_Token(w, w, "") for w in _WORD.findall(text, at)]


def _opcodes(one: Sequence[str], two: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Return difflib's opcodes. In very long texts, everything between the equal ends is one replacement."""
    start = next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )
    most = min(len(one), len(two)) - start
    end = next((i for i in range(most) if one[-1 - i] != two[-1 - i]), most)
    i, j, k, m = start, len(one) - end, start, len(two) - end
    middle: list[tuple[str, int, int, int, int]] = [("replace", i, j, k, m)] if i < j or k < m else []
    if max(j - i, m - k) <= _LONGEST:
        matcher = SequenceMatcher(None, one[i:j], two[k:m], autojunk=False)
        middle = [(c, i + a, i + b, k + x, k + y) for c, a, b, x, y in matcher.get_opcodes()]
    return [("equal", 0, i, 0, k), *middle, ("equal", j, len(one), m, len(two))]
