"""Headers in two rows: groups such as models in the first, and what each group has in the second."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 40


def joined(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """Join two rows to one header if they can be nothing else.

    A group is named above its first column alone. Other columns have their name in one of the rows: all in the first,
    beside which no data row would be empty, or all in the second, in which the groups have the same columns.

    Parameters
    ----------
    first, second : sequence of str
        The cells of a row and of the one below, "" for empty ones.

    Returns
    -------
    list of str or None
        Names such as “GPT-4 answer”; None if the rows are no such header.
    """
    width = max(len(first), len(second))
    above, below = ([*map(str.strip, row), *[""] * (width - len(row))] for row in (first, second))
    names, groups, group = list[str](), dict[int, list[str]](), -1
    for place, (over, under) in enumerate(zip(above, below, strict=True)):
        if over and not under:
            names, group = [*names, over], -1
        elif not under or (not over and group < 0 and any(above[:place])):
            return None
        elif over or group >= 0:
            group = place if over else group
            groups.setdefault(group, []).append(under)
            names.append(f"{above[group]} {under}")
        else:
            names.append(under)
    alike = len(groups) > 1 and len({tuple(labels) for labels in groups.values()}) == 1
    is_split = any(over and not under for over, under in zip(above, below, strict=True))
    is_below = above[:1] == [""] and alike
    sizes = min(map(len, groups.values()), default=0)
    labels = all(len(one) <= _LONGEST and any(map(str.isalpha, one)) for one in below if one)
    is_header = is_split != is_below and sizes > 1 and labels and len({*names}) == len(names)
    return names if is_header else None


def remark(names: Sequence[str], first: Sequence[str], place: int) -> str:
    """Say that a header is in two rows, the first of which is given with its place from 1, and name a joined one."""
    example = next(name for name in names if any(cell and name.startswith(f"{cell.strip()} ") for cell in first))
    return f"The header is in rows {place} and {place + 1}, read as one, with names such as “{example}”."
