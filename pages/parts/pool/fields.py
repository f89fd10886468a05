"""The boxes of the mapper: a path for each field, and what 1 means in a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.pool import shown
from core.readers import RIGHT, ROWS, TEXT, WRONG, FieldMap, FieldPath, Paths, Shape, target_names
from core.words import listed
from pages.parts.app import session
from pages.parts.markup import plain

_LONGEST = 28
_COLUMNS = 3
# From so many targets on, those that are answers alone have one box, and what 1 means is asked once for all scores.
_SEVERAL = 3
_SCORE, _MODEL, _RUN, _SUBSET, _REVIEWER = "score", "model", "run", "subset", "reviewer"
# Roles whose boxes are in sight of every file.
_USUAL = ("id", "prompt", "answer")
# Roles that are no field of the pool.
_OF_ROWS = (_MODEL, _RUN, _SUBSET, _REVIEWER, "judges", "columns")
_MEANINGS = {RIGHT: "right", WRONG: "wrong"}


@dataclass(frozen=True, slots=True)
class _Role:
    """A field of the pool that paths are chosen for.

    Parameters
    ----------
    name : str
        Native column, `TEXT` or `_SCORE` of a target, `_MODEL`, “judges” or “columns”.
    label : str
        What stands above the box.
    help : str
        What belongs there.
    several : bool
        Whether it may have several paths.
    empty : str
        What an empty box stands for.
    more : tuple of str
        What may be chosen beside paths.
    """

    name: str
    label: str
    help: str
    several: bool = False
    empty: str = "none"
    more: tuple[str, ...] = ()


_ROLES = (
    _Role("id", "Item id", "The name of the item, the same in every row of it.", empty="number of the row"),
    _Role("prompt", "Prompt", "The question or task, as people read it and as the model got it."),
    _Role("answer", "Right answer", "The reference answer, if you know it."),
    _Role(
        "generations",
        "Samples of the surrogate",
        "Several answers of a cheap model to each item: a list, several fields with one each, or one field with a "
        "sample in each row. Rows of an item then have the same id.",
        several=True,
    ),
    _Role(
        "judges",
        "Judge’s verdict or score",
        "What another model said about the answers: pass and fail, other words, or numbers, which can sort the items.",
        several=True,
    ),
    _Role("group", "Group", "Subject, topic or task of the item, for results by group."),
    _Role("choices", "Options", "The options of a multiple-choice item: a list, or one field each.", several=True),
    _Role(
        _MODEL,
        "Name of the model",
        "If rows hold the answers of several models: the field that names the model of a row, or several that name it "
        "together, such as model and prompt. Each becomes a target or stands in for the surrogate.",
        several=True,
        empty="one model",
    ),
    _Role(
        "columns",
        "Other columns to keep",
        "Verdicts of people, other criteria and reasons stay as they are in the file. Page Judge can compare a "
        "judge with them.",
        several=True,
    ),
    _Role(
        _RUN,
        "Run",
        "If each row is one of several runs (trials, attempts, epochs) of a model on an item: the field that numbers "
        f"the runs, or “{ROWS}” if none does. If a row has all runs, the fields of their scores. The first run of each "
        "item counts.",
        several=True,
        empty="one run of each item",
        more=(ROWS,),
    ),
    _Role(
        _SUBSET,
        "Subset",
        "If ids are unique only within a subset, such as a task or a language: the field that names the subset. "
        "Subset and id together then name the item.",
        empty="ids are unique",
    ),
    _Role(
        _REVIEWER,
        "Reviewer",
        "If several people or judges have a row each about the same output: the field that names them. Their verdicts "
        "become a column for each.",
        empty="one row for each output",
    ),
)
_OF_TARGET = (
    _Role(TEXT, "Target’s answer", "What the model under test answered."),
    _Role(
        _SCORE,
        "Target’s score",
        "Whether that answer is right: 1 and 0, true and false, “correct” and “wrong”, or a share between 0 and 1. "
        "“n/a” leaves it open.",
    ),
)


OF_MODELS = _Role(
    "texts",
    "Columns with models’ answers",
    "If each of several columns has the answers of another model: all of these columns. Each becomes a target.",
    several=True,
)


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file whose fields are chosen by hand.

    Parameters
    ----------
    name : str
        Name of the file.
    content : bytes
        The file.
    shape : Shape
        Its paths.
    fields : FieldMap
        The map to begin with.
    digest : str
        Of the pool that was read by the map; "" before.
    remembered : bool
        Whether the map is that of an earlier file of the same shape.
    together : bool
        Whether others were given with it: then the only target of each is called like its file.
    turn : int
        How often fields were chosen together, so that the boxes begin anew.
    is_of_pool : bool
        Whether the file is a pool that has been read, whose fields are chosen again.
    """

    name: str
    content: bytes
    shape: Shape
    fields: FieldMap
    digest: str = ""
    remembered: bool = False
    together: bool = False
    turn: int = 0
    is_of_pool: bool = False


def chosen(file: MappedFile, opened: bool = False) -> FieldMap:
    """Draw a box for each role, and return the map that they make.

    Parameters
    ----------
    file : MappedFile
        The file.
    opened : bool
        Whether the panel of the roles that no field was found for is open at first.
    """
    places = {place.path: place for place in file.shape.places}
    start = {name: file.fields.parts(name) for name in file.fields.fields}
    judging = file.fields.judging
    start |= {"judges": judging, _MODEL: file.fields.models, _RUN: file.fields.runs}
    start |= {_REVIEWER: (file.fields.reviewer,), "id": file.fields.parts("id")[-1:], _SUBSET: file.fields.subset}
    start |= {"columns": tuple(path for path in file.fields.columns if path not in judging)}
    # A file that is opened again begins with what was used last.
    version = f"{file.shape.digest[:12]}-{file.digest[:12]}-{file.turn}"
    chosen: dict[str, tuple[str, ...]] = {}
    doubted = {_role_of(doubt.field) for doubt in file.shape.doubts}
    here = [role for role in _ROLES if role.name in _USUAL or any(start.get(role.name, ())) or role.name in doubted]
    more = [role for role in _ROLES if role not in here]
    names = ", ".join(role.label for role in more[:_COLUMNS])
    in_sight, of_targets = st.container(), st.container()
    for roles, place in ((here, in_sight), (more, st.expander(f"More fields: {names} …", opened))):
        for first in range(0, len(roles), _COLUMNS):
            for box, role in zip(place.columns(_COLUMNS), roles[first : first + _COLUMNS], strict=False):
                with box:
                    chosen[role.name] = _box(role, places, start.get(role.name, ()), f"map-{role.name}-{version}")
    fields: dict[str, Paths] = {
        name: paths if len(paths) > 1 else paths[0] for name, paths in chosen.items() if paths and name not in _OF_ROWS
    }
    if chosen[_SUBSET] and chosen["id"] and chosen[_SUBSET] != chosen["id"]:
        fields["id"] = (*chosen[_SUBSET], *chosen["id"])
    # What has no box stays as it is.
    boxes = {role.name for role in _ROLES}
    fields |= {name: path for name, path in file.fields.fields.items() if name not in boxes}
    with of_targets:
        targets = _targets(file, places, version, one=bool(chosen[_MODEL]))
    model, run = (paths if len(paths) > 1 else "".join(paths) for paths in (chosen[_MODEL], chosen[_RUN]))
    reviewer = "".join(chosen[_REVIEWER])
    in_words = [path for path in chosen["judges"] if path in file.fields.columns or not places[path].is_numeric]
    both = dict.fromkeys([*in_words, *chosen["columns"]])
    # A column with a role is not kept as well: the target's own score could sort the items.
    taken = FieldMap(fields, targets, model=model).paths()
    kept = tuple(path for path in both if path not in taken)
    if dropped := listed([shown(path) for path in both if path in taken]):
        st.warning(plain(f"Another box has {dropped} as well, and that one counts."), icon=":material/warning:")
    judges = tuple(path for path in chosen["judges"] if path not in both or path in kept)
    made = FieldMap(fields, targets, kept, judges, model, run=run, reviewer=reviewer)
    if made.may_repeat:
        keeps = st.checkbox(
            "Keep repeated rows",
            file.fields.keeps_repeated,
            key=f"map-repeated-{version}",
            help="A row that repeats an earlier one word for word counts once, unless you keep it as another item.",
        )
        made = replace(made, keeps_repeated=keeps)
    return made


def _targets(file: MappedFile, places: Mapping[str, FieldPath], version: str, one: bool) -> dict[str, dict[str, str]]:
    """Draw the boxes of each target, and a button for one more; return the paths of each by its name.

    Targets of which only answers are known have one box together. With ``one``, rows name their models, and the boxes
    are those of all.
    """
    together = {} if one else _together(file)
    texts: Sequence[str] = ()
    if not one and (together or not file.fields.targets or any(doubt.field == TEXT for doubt in file.shape.doubts)):
        texts = _box(OF_MODELS, places, [*together], f"map-{OF_MODELS.name}-{version}")
    start = [] if together else [*file.fields.targets.items()] or [(file.shape.model, {})]
    count = f"map-targets-{version}"
    drawn = 1 if one else max(len(start), session.widget(count, 0))
    outcomes: list[dict[str, str]] = []
    shared: dict[tuple[str, str], str] = {}
    cells: list[DeltaGenerator] = []
    for number in range(drawn):
        outcome = start[number][1] if number < len(start) else {}
        suffix = f"{number}-{version}"
        *boxes, last = st.columns(_COLUMNS)
        paths: dict[str, str] = {}
        for box, role in zip(boxes, _OF_TARGET, strict=True):
            with box:
                names = (RIGHT, WRONG) if role.name == _SCORE else (role.name,)
                given = [(name, outcome[name]) for name in names if name in outcome]
                for path in _box(role, places, [one for _, one in given], f"map-{role.name}-{suffix}"):
                    name = role.name
                    if name == _SCORE:
                        word, usual = places[path].right or "1", given[0][0] if given else RIGHT
                        # Many scores alone are one table, in which 1 means the same.
                        of_all = drawn >= _SEVERAL and TEXT not in paths
                        name = shared.get((word, usual), "") if of_all else ""
                        if not name:
                            words = f"{word} means, in each score" if of_all else f"{word} means"
                            name = _meaning(words, usual, f"map-meaning-{suffix}")
                        if of_all:
                            shared[word, usual] = name
                    paths[name] = path
        rest = {name: path for name, path in outcome.items() if name not in (TEXT, RIGHT, WRONG)}
        if paths and "loss" in rest and not {RIGHT, WRONG}.isdisjoint(paths):
            del rest["loss"]
        outcomes.append(paths | rest if paths or outcome.keys() <= rest.keys() else paths)
        cells.append(last)
    called = _usual_names(file, start, outcomes)
    targets = {together.get(path, path): {TEXT: path} for path in texts}
    for number, (usual, paths, cell) in enumerate(zip(called, outcomes, cells, strict=True)):
        if paths:
            name = start[0][0] if one else _name(cell, usual, f"map-name-{number}-{version}")
            targets[name if name not in targets else f"{name} ({number + 1})"] = paths
    if not one:
        st.button("Add a target", icon=":material/add:", on_click=_draw_targets, args=(count, drawn + 1))
    return targets


def _together(file: MappedFile) -> dict[str, str]:
    """Return the names of several targets of which only answers are known, by their columns; {} if one has more."""
    targets = file.fields.targets
    guessed = file.shape.guess.targets
    # Two may be named by hand.
    are_alike = len(targets) >= _SEVERAL and all(
        paths.keys() == {TEXT} and (paths[TEXT] == name or paths == guessed.get(name))
        for name, paths in targets.items()
    )
    return {paths[TEXT]: name for name, paths in targets.items()} if are_alike else {}


def _usual_names(
    file: MappedFile, start: Sequence[tuple[str, Mapping[str, str]]], outcomes: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return what targets are called until somebody names them: as before, if their columns are as before."""
    model = file.shape.model
    names = [model] if file.together and len(outcomes) == 1 else target_names(outcomes, model, file.name)
    explained = target_names([before for _, before in start], model, file.name)
    for place, ((name, before), paths) in enumerate(zip(start, outcomes, strict=False)):
        # Of this very file, a name that its column does not explain was chosen by hand.
        unnamed = [explained[place]] if file.remembered or file.digest else [model, f"target {place + 1}"]
        if name not in unnamed and before.get(TEXT) in (None, paths.get(TEXT)):
            names[place] = name
    return names


def _name(cell: DeltaGenerator, usual: str, key: str) -> str:
    """Draw the box of a target's name, which follows its column until somebody types another."""
    shown = f"{key}-usual"
    if session.widget(key) in (None, session.widget(shown)):
        session.show(key, usual)
    session.show(shown, usual)
    return cell.text_input("Name of the target", key=key).strip() or usual


def _meaning(label: str, usual: str, key: str) -> str:
    """Draw the choice of what 1, or the words for it, means in a score."""
    chosen = st.segmented_control(
        plain(label), list(_MEANINGS), default=usual, format_func=_MEANINGS.__getitem__, key=key
    )
    return chosen or usual


def _draw_targets(key: str, count: int) -> None:
    session.show(key, count)


def _box(role: _Role, places: Mapping[str, FieldPath], start: Sequence[str], key: str) -> tuple[str, ...]:
    most = max(place.rows for place in places.values())

    def label(path: str) -> str:
        if path not in places:
            return path
        example, rows = places[path].example, places[path].rows
        some = f" · {rows:,} of {most:,} rows" if rows < most else ""
        return f"{path} · {example if len(example) <= _LONGEST else example[: _LONGEST - 1] + '…'}{some}"

    options = list(dict.fromkeys([*places, *role.more]))
    first = [path for path in start if path in options]
    if role.several:
        several = st.multiselect(
            role.label, options, first, format_func=label, key=key, help=role.help, placeholder=role.empty
        )
        return tuple(several)
    # An empty box has a sign to empty it again; one that begins with a field needs an option for that.
    index = 1 + list(places).index(first[0]) if first else None
    one = st.selectbox(
        role.label,
        [None, *places] if first else list(places),
        index,
        format_func=lambda path: role.empty if path is None else label(path),
        key=key,
        help=role.help,
        placeholder=role.empty,
    )
    return (one,) if one is not None else ()


def label_of(field: str) -> str:
    """Return what stands above the box of a field."""
    role = _role_of(field)
    return next((one.label for one in (*_ROLES, *_OF_TARGET) if one.name == role), field)


def has(fields: FieldMap, field: str) -> bool:
    """Whether a path is chosen for a field."""
    names = (*fields.fields, *(name for one in fields.targets.values() for name in one))
    return _role_of(field) in map(_role_of, names)


def _role_of(field: str) -> str:
    return _SCORE if field in _MEANINGS else field
