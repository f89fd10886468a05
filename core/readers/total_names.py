"""Names of what sums up many items: rows and columns of totals, and benchmarks, of which a row has no single item."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from statistics import fmean, median

from ..files.foreign_names import plain_key
from .verdicts import number

# As `plain_key` writes them: of the languages in which the columns of items are known.
_WORDS = """
total totals subtotal sum mean average avg median overall aggregate std stdev stddev variance min max accuracy winrate
grandtotal overallaverage overallaccuracy overallscore macroaverage macroavg microaverage microavg meanscore
averagescore totalscore averageaccuracy meanaccuracy gesamt insgesamt summe mittelwert durchschnitt mittel moyenne
gesamtergebnis ø somme promedio suma media soma média totale итого всего среднее сумма toplam ortalama jumlah rata-rata
总计 合计 總計 合計 平均 平均分 总分 均值 합계 평균 총점
المجموع المتوسط कुल औसत মোট গড় کل اوسط
"""
# What totals are called as well; beside them are numbers that no item has.
_MAYBE = (
    "all ergebnis ergebnisse resultat resultate résultat résultats resultado resultados risultato result results score"
)
# Most words of the label of totals.
_LABEL = 3
_SUMS = frozenset(map(plain_key, _WORDS.split()))
_MAYBE_SUMS = frozenset(map(plain_key, _MAYBE.split()))
_BENCHMARKS = (
    r"(?:[cx]?-?)mmlu|gsm-?8k|gsm|hellaswag|hella-?swag|arc|arc-?[ce]|truthful-?qa|wino-?grande|human-?eval|mbpp|math|aime"
    r"|math-?\d{2,3}|aime-?\d{2,4}|gpqa|bbh|big-?bench(?:-hard)?|drop|if-?eval|piqa|boolq|bool-?q|open-?book-?qa|obqa"
    r"|trivia-?qa|natural-?questions|nq|squad|squad-?v?2|lambada|race|copa|wsc|cb|rte|wic|multirc|record|commonsense-?qa"
    r"|csqa|siqa|social-?i-?qa|sciq|logiqa|mgsm|c-?eval|cmmlu|agi-?eval|tydi-?qa|xquad|xnli|anli|mnli|qnli|qqp|sst-?2"
    r"|mrpc|cola|glue|super-?glue|mt-?bench|alpaca-?eval|arena-?hard|live-?code-?bench|live-?bench|swe-?bench|bfcl|mmmu"
    r"|mm-?bench|mm-?star|mm-?vet|math-?vista|ai2d|chart-?qa|doc-?vqa|text-?vqa|ocr-?bench|pope|seed-?bench|hle|simple-?qa"
    r"|musr|toxigen|crows-?pairs|bbq|pubmed-?qa|med-?qa|medmcqa|legal-?bench|zero-?scrolls|long-?bench|ruler|niah"
)
# “arc_challenge”, “mmlu (5-shot)” and “gpqa-diamond” are benchmarks; “mmlu_17” and “gsm8k/3” are items.
_OF_A_BENCHMARK = re.compile(
    rf"(?:{_BENCHMARKS})(?:[\s_:/|(-]+(?:[^\W\d]|[\s_:/|()@-]|\d+[\s_-]?shots?|v\d|pass@\d+|plus)*\+?)?", re.IGNORECASE
)
# What a column sums up may be rounded, and a share may be per cent.
_SUMMED: tuple[Callable[[Sequence[float]], float], ...] = (sum, fmean, median, min, max)
_ROUNDED, _MOSTLY = {1: 0.011, 100: 0.6}, 0.9


def is_sum(name: str) -> bool:
    """Whether a row or a column of this name sums up others: “Total”, “average”, “Durchschnitt”."""
    return plain_key(name) in _SUMS


def is_total_label(value: object) -> bool:
    """Whether this is what totals are called: “Total”, “Average score”, “TOTAL (n=40)”."""
    return is_sum(_first_word(value))


def may_be_total_label(value: object) -> bool:
    """Whether totals may be called so, and items too: “All”, “Ergebnis”, “Score”."""
    return plain_key(_first_word(value)) in _MAYBE_SUMS


def are_benchmarks(names: Collection[str]) -> bool:
    """Whether at least half of some names are those of benchmarks, each of which has many items."""
    return bool(names) and 2 * sum(_OF_A_BENCHMARK.fullmatch(name.strip()) is not None for name in names) >= len(names)


def sums_up(totals: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    """Whether most cells of a column are a sum, a mean, a median, the least or the most of those beside them.

    Parameters
    ----------
    totals : sequence of str
        The cell of each row.
    parts : sequence of sequence of str
        The cells beside it.
    """
    numbers = [
        (number(total), [one for cell in some if (one := number(cell)) is not None])
        for total, some in zip(totals, parts, strict=True)
    ]
    known = [(total, some) for total, some in numbers if total is not None and some]
    return bool(known) and any(
        sum(_is_near(total, of(some)) for total, some in known) >= _MOSTLY * len(known) for of in _SUMMED
    )


def _first_word(value: object) -> str:
    """Return the first word of a label, "" for longer texts and what is none."""
    words = value.split() if isinstance(value, str) else []
    return words[0] if 0 < len(words) <= _LABEL else ""


def _is_near(total: float, value: float) -> bool:
    return any(abs(total - scale * value) <= most for scale, most in _ROUNDED.items())
