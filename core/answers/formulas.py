r"""One key for formulas that mean the same, in answers of kind ``text``: ``\dfrac{9a + 11}{20}``, ``\frac{11+9a}{20}``.

A formula is computed at fixed values of its letters, and equal values are one key. A tuple, an interval or a set has
the keys of its parts. What cannot be computed keeps its spelling without spaces; two such formulas may mean the same in
spite of different keys (``math-verify`` knows more of them: `core.answers.classes`).
"""

from __future__ import annotations

import ast
import cmath
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

# A formula has LaTeX, a power, a root or π in it, or is a number, several numbers, or letters with signs: several minus
# signs alone may be hyphens, as in the order a-b-c.
_MATHEMATICAL = re.compile(
    r"\\(?:[a-z]+|[!,;:%$ {])|\^|\{,\}|[√π±∞]|^[-+]?(?!0[0-9]{3})[0-9][0-9.,]*$|^[(\[][-+0-9.,\s]+[)\]]$"
    r"|^[-−+]?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?(?:\s?,\s?[-−+]?\s?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?)+$"
    r"|^(?=.*[a-z])(?=.*[+*/=]|(?=.*[-−])[-−]?[^-−]*[-−]?[^-−]*$)(?!.*[a-z]{2})"
    r"[-−+*/=().,\sa-z0-9]+$"
)
# Spaces beside signs mean nothing between numbers and single letters.
_SYMBOLS = re.compile(r"(?!.*[a-z]{2})[-−–+*/=<>()\[\]{}.,;:|\sa-z0-9]+")
_BESIDE_SIGNS = re.compile(r"(?<![a-z0-9])\s+|\s+(?![a-z0-9])")
_DROPPED = re.compile(
    r"\\(?:left|right|displaystyle|textstyle)(?![a-z])|(?<!\\)\\[,;:! ]|\$|(?<!\\)~|\^\s?\{?\\circ\}?|°|\\%|%|\\(?=\$)"
)
_SPELLED = (
    ("\\dfrac", "\\frac"),
    ("\\tfrac", "\\frac"),
    ("\\cfrac", "\\frac"),
    ("\\cdot", "*"),
    ("\\times", "*"),
    ("\\div", "/"),
)
_SIGNS = (
    ("−", "-"),
    ("π", "\\pi"),
    ("∞", "\\infty"),
    ("·", "*"),
    ("×", "*"),
    ("{,}", ","),
    ("\\lbrace", "\\{"),
    ("\\rbrace", "\\}"),
)
_GROUPED = re.compile(r"(?<![0-9,.])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])")
_COMMAND, _WORD = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}|\\[a-z]+"), re.compile(r"[a-z]{3}")
_BEFORE = re.compile(r"^\(?[a-z](?:\([a-z]\))?(?:\\in|=)")
_UNIT = re.compile(r"(?<=[0-9}])(?:\s+[a-z]{2,12}|[a-z]{3,12}|cm|mm|km|kg)(?:\s[a-z]{1,12}){0,2}(?:\^\{?[23]\}?)?$")
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+|\\[a-z]+|[a-z]|[-+*/^(){}\[\]|!]|√")
_BRACKETS = {"(": ")", "[": "]", "\\{": "\\}"}
_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "\\sin": cmath.sin,
    "\\cos": cmath.cos,
    "\\tan": cmath.tan,
    "\\ln": cmath.log,
    "\\log": cmath.log10,
    "\\exp": cmath.exp,
}
_LONGEST = 200
# Significant digits of a value, and digits behind the point of a large one: the rest may be rounding error.
_DIGITS, _DECIMALS = 9, 2

_PYTHON = (
    (re.compile(r"\\[dt]?binom\s?\{([0-9]{1,3})\}\s?\{([0-9]{1,3})\}"), r"((\1)@(\2))"),
    (re.compile(r"[x×·⋅∗]|\\(?:times|cdot|ast)(?![a-z])"), "*"),
    (re.compile(r"÷|\\div(?![a-z])"), "//"),
    (re.compile(r"\(?\s*\\?[bp]?mod\s?\{?([0-9]+)[)}]*"), r"%\1"),
    (re.compile(r"\^"), "**"),
    (re.compile(r"[\[{]"), "("),
    (re.compile(r"[\]}]"), ")"),
)
# “2 × 3” may be a size; so may “/” beside ÷ or a power be of its neighbour or of all.
_SIZE = re.compile(r"[0-9.\s]+(?:(?:[x×]|\\times)[0-9.\s]+)+")
_UNCLEAR = re.compile(
    r"/.*(?:÷|\\div|\^|\*\*|\)\s?[0-9(])|(?:÷|\\div|\^|\*\*).*/|[0-9)]\s*[a-z\\]*mod.*[-+*/×·^].*|[-+*/×·^].*mod"
)
_MOST_BITS = 2_000


@lru_cache(maxsize=65_536)
def formula_key(answer: str) -> str:
    """Return the key of a folded answer: the answer itself if it is no formula."""
    if len(answer) > _LONGEST:
        return answer
    if not _MATHEMATICAL.search(answer):
        return _BESIDE_SIGNS.sub("", answer) if _SYMBOLS.fullmatch(answer) else answer
    text = _DROPPED.sub("", answer)
    for sign, plain in (*_SIGNS, *_SPELLED):
        text = text.replace(sign, plain)
    text = _UNIT.sub("", text.strip())
    if _WORD.search(_COMMAND.sub(" ", text)):
        return answer
    text = _BEFORE.sub("", "".join(text.split()))
    text = _GROUPED.sub(lambda number: number[0].replace(",", ""), text)
    # Parentheses around several parts are no part of an answer of kind text.
    inner = _parts(text[1:-1]) if text.startswith("(") and text.endswith(")") else None
    return _key_of(text[1:-1] if inner is not None and len(inner) > 1 else text) or answer


def exact_value(formula: str) -> Fraction | None:
    """Compute a formula of numbers, such as 2 + 3 · 4; None if it is none, or may mean several things."""
    if len(formula) > _LONGEST or _SIZE.fullmatch(formula) or _UNCLEAR.search(formula):
        return None
    for written, python in _PYTHON:
        formula = written.sub(python, formula)
    try:
        return _computed(ast.parse(formula.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _computed(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(str(number))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
            return -_computed(inner) if isinstance(sign, ast.USub) else _computed(inner)
        case ast.BinOp(left=left, op=between, right=right) if type(between) in _OPERATIONS:
            return _OPERATIONS[type(between)](_computed(left), _computed(right))
    raise ValueError


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if (
        exponent.denominator != 1
        or abs(exponent) * max(base.numerator.bit_length(), base.denominator.bit_length()) > _MOST_BITS
    ):
        raise ValueError
    return Fraction(base ** int(exponent))


def _chosen(of: Fraction, few: Fraction) -> Fraction:
    return Fraction(math.comb(int(of), int(few)))


_OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: _raised,
    ast.MatMult: _chosen,
}


def is_formula(answer: str) -> bool:
    """Whether a folded answer has the marks of a LaTeX formula."""
    return len(answer) <= _LONGEST and ("\\" in answer or "^" in answer)


def is_computed(key: str) -> bool:
    """Whether a key is the value of a formula, so that another key means another value."""
    return key.startswith("≡")


def _key_of(text: str) -> str:
    for opening, closing in (*_BRACKETS.items(), ("(", "]"), ("[", ")")):
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening) + len(closing):
            parts = _parts(text[len(opening) : -len(closing)])
            if parts is not None and (len(parts) > 1 or opening == "\\{"):
                keys = [_key_of(part) for part in parts]
                shown = ";".join(sorted(keys) if opening == "\\{" else keys)
                return f"{'≡' if all(map(is_computed, keys)) else ''}{opening}{shown}{closing}"
    parts = _parts(text)
    if parts is not None and len(parts) > 1:
        keys = [_key_of(part) for part in parts]
        return f"{'≡' if all(map(is_computed, keys)) else ''}{';'.join(keys)}"
    value = _value(text)
    return text if value is None else f"≡{value}"


def _parts(text: str) -> list[str] | None:
    """Split at the commas that stand in no brackets; None if brackets do not match."""
    depth, parts = 0, [""]
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return None
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts if depth == 0 and all(parts) else None


def _value(text: str) -> str | None:
    """Compute a formula at fixed values of its letters, to nine digits or all of a whole number; None if it is none."""
    if text in ("\\infty", "+\\infty", "-\\infty"):
        return text.lstrip("+")
    tokens = _TOKEN.findall(text)
    if not tokens or sum(map(len, tokens)) != len(text):
        return None
    try:
        reader = _FormulaReader(tokens)
        value = reader.sum()
    except (ValueError, ArithmeticError, IndexError, RecursionError):
        return None
    if reader.place != len(tokens) or not cmath.isfinite(value):
        return None
    return " ".join(_digits(_snapped(part, value)) for part in (value.real, value.imag))


def _digits(part: float) -> str:
    if part.is_integer():
        return str(int(part))
    return f"{part:.{max(_DIGITS, len(str(int(abs(part)))) + _DECIMALS)}g}"


def _snapped(part: float, value: complex) -> float:
    """Return 0.0 for what is only rounding error."""
    return 0.0 if abs(part) <= 1e-12 * max(1.0, abs(value)) else part


class _FormulaReader:
    """Reads a formula from its tokens by recursive descent."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place = tokens, 0

    def sum(self) -> complex:
        value = self._product()
        while self._next in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            value += sign * self._product()
        return value

    @property
    def _next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _take(self) -> str:
        token = self.tokens[self.place]
        self.place += 1
        return token

    def _product(self) -> complex:
        value = self._signed()
        while True:
            if self._next == "*":
                self._take()
                value *= self._signed()
            elif self._next == "/":
                self._take()
                value /= self._signed()
            elif self._next and self._next not in "+-)}]|!" and not self._next[0].isdigit():
                value *= self._power()  # "2x", "3\\pi"
            else:
                return value

    def _signed(self) -> complex:
        sign = 1
        while self._next in ("+", "-"):
            sign *= 1 if self._take() == "+" else -1
        return sign * self._power()

    def _power(self) -> complex:
        # "3\\frac{1}{2}" is a mixed number.
        start, value = self._next, self._atom()
        if (
            start.isdecimal()
            and self._next == "\\frac"
            and self.tokens[self.place + 1 : self.place + 3] != ["{", "\\pi"]
        ):
            place, fraction = self.place, self._atom()
            if all((len(one) == 1 and one in "{}") or one.isdecimal() for one in self.tokens[place + 1 : self.place]):
                return value + fraction
            return value * fraction
        if self._next == "^":
            self._take()
            exponent = self._signed() if self._next != "{" else self._atom()
            if abs(exponent) > 1_000:
                raise ValueError
            value = value**exponent
        if self._next == "!":
            self._take()
            if value.imag or value.real != int(value.real) or not 0 <= value.real <= 100:
                raise ValueError
            value = complex(math.factorial(int(value.real)))
        return value

    def _atom(self) -> complex:
        token = self._take()
        if token[0].isdigit() or token[0] == ".":
            return complex(float(token))
        if token in ("(", "{", "["):
            value = self.sum()
            if self._take() != {"(": ")", "{": "}", "[": "]"}[token]:
                raise ValueError
            return value
        if token == "|":
            value = self.sum()
            if self._take() != "|":
                raise ValueError
            return complex(abs(value))
        if token == "\\frac":
            return self._argument() / self._argument()
        if token in ("\\sqrt", "√"):
            degree = complex(2)
            if self._next == "[":
                degree = self._atom()
            return self._argument() ** (1 / degree)
        if token == "\\pi":
            return complex(math.pi)
        if token in _FUNCTIONS:
            return _FUNCTIONS[token](self._argument())
        if token == "e":
            return complex(math.e)
        if token == "i":
            return 1j
        if len(token) == 1 and token.isalpha():
            return complex(math.sqrt(2 + 3 * (ord(token) - ord("a"))) + 0.37)
        if token in ("\\alpha", "\\beta", "\\gamma", "\\theta", "\\lambda", "\\mu", "\\phi", "\\omega"):
            return complex(math.sqrt(97 + sum(map(ord, token))))
        raise ValueError

    def _argument(self) -> complex:
        r"""Read a group, or the one digit or letter of "\\frac12"."""
        token = self._next
        if token[0].isdigit() and len(token) > 1:
            self.tokens[self.place : self.place + 1] = [token[0], token[1:]]
        return self._atom()
