"""Preferences: win rates with their limits, shares, order of the answers, words, and what is refused."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.commands import main
from core.commands.grading import LIST
from core.design import manifest
from core.design.design import Plan
from core.errors import LabelError
from core.estimation import stratified
from core.labels import KINDS, export
from core.labels.model_pair import parted
from core.pool import ModelPair, Pool
from core.study.begun_pairs import with_ties

KIND = "preference"
# What the better of two models is called in these tests.
PAIR = "new against old"
# Verdicts of AlpacaEval's GPT-4 annotator on the answers of three models against text_davinci_003: wins, ties, losses,
# or nothing. From tatsu-lab/alpaca_eval (results/*/alpaca_eval_gpt4/annotations.json, Apache-2.0), without texts.
DATA = Path(__file__).parent / "fixtures" / "alpaca_eval_preferences.csv"


def pool_of(n_items: int, equal: Sequence[int] = (), more: Sequence[str] = ()) -> Pool:
    """Items with answers of two models or more, some of which are equal."""
    rng = np.random.default_rng(n_items)
    return Pool.from_records(
        {
            "id": f"q{n}",
            "prompt": f"Write about {n}.",
            "answer_kind": "text",
            "generations": rng.choice(["A", "B", "C"], 5).tolist(),
            "targets": {
                name: {"text": f"Both: {n}" if n in equal else f"{name} on {n}"} for name in ("new", "old", *more)
            },
        }
        for n in range(n_items)
    )


def placed(listed: pd.DataFrame, wins: Mapping[str, str]) -> list[str]:
    """Return the labels of a list by who wins, "new", "old" or "tie", as people say them: by places."""
    labels = []
    for item, first in zip(listed["item_id"], listed["first_answer"], strict=True):
        own = wins[str(item)]
        labels.append("tie" if own == "tie" else "first" if first.startswith(own) else "second")
    return labels


def labelled(plan: Plan, wins: Mapping[str, str], **more: object) -> neyman.Study:
    listed = neyman.request(plan, target="new", against="old")
    return neyman.labelled(plan, listed.assign(label=placed(listed, wins)), **more)  # type: ignore[arg-type]


def verdicts(rng: np.random.Generator, n_items: int, shares: Sequence[float]) -> dict[str, str]:
    """Return who wins each item, with these shares of wins, ties and losses of “new”."""
    return {f"q{n}": str(one) for n, one in enumerate(rng.choice(["new", "tie", "old"], n_items, p=shares))}


def win_rate(wins: Mapping[str, str]) -> float:
    return float(np.mean([{"new": 1.0, "tie": 0.5, "old": 0.0}[one] for one in wins.values()]))


@pytest.mark.parametrize("n_items", [2, 5, 12])
@pytest.mark.parametrize("seed", range(4))
def test_all_pairs_labelled_give_the_win_rate_and_the_shares_exactly(n_items: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = verdicts(rng, n_items, (0.4, 0.3, 0.3))
    plan = neyman.Design(n_items, allocation="uniform").draw(pool_of(n_items), seed=seed)
    study = labelled(plan, wins)
    one = study.estimate()
    assert one.measure == "win rate" and study.target == PAIR
    assert (one.value, one.low, one.high) == pytest.approx([win_rate(wins)] * 3)
    shares = [list(wins.values()).count(name) / n_items for name in ("new", "tie", "old")]
    assert [share.value for share in study.outcomes.preferred] == pytest.approx(shares)
    assert [share.low for share in study.outcomes.preferred] == pytest.approx(shares)


def test_the_win_rate_is_unbiased_over_all_samples_and_orders() -> None:
    """All lists of two strata, and all orders of the answers: eight items, three labels of five and two of three."""
    values = np.array([1, 0.5, 0, 1, 1, 0.5, 0, 0])
    parts = (range(5), range(5, 8))
    draws = itertools.product(*(itertools.combinations(part, m) for part, m in zip(parts, (3, 2), strict=True)))
    strata = np.repeat([0, 1], (3, 2))
    found = [stratified(values[[*one, *other]], strata, [5, 3]).value for one, other in draws]
    assert np.mean(found) == pytest.approx(values.mean(), abs=1e-12)


# Shares of wins, ties and losses: from hardly a tie to mostly ties.
SHARES = [(0.5, 0.02, 0.48), (0.9, 0.02, 0.08), (0.6, 0.15, 0.25), (0.35, 0.3, 0.35), (0.3, 0.6, 0.1), (0.2, 0.6, 0.2)]


@pytest.mark.parametrize("shares", SHARES)
def test_limits_cover_the_win_rate_and_the_share_of_ties(shares: tuple[float, float, float]) -> None:
    rng, pool, rounds, held = np.random.default_rng(4), pool_of(200), 60, np.zeros(2)
    wins = verdicts(rng, 200, shares)
    truth, ties = win_rate(wins), list(wins.values()).count("tie") / 200
    for seed in range(rounds):
        outcomes = labelled(neyman.Design(50).draw(pool, seed=seed), wins).outcomes
        for place, (one, true) in enumerate(((outcomes.estimate, truth), (outcomes.preferred[1], ties))):
            held[place] += one.low - 1e-9 <= true <= one.high + 1e-9
    assert (held / rounds >= 0.94 - 2 * (0.94 * 0.06 / rounds) ** 0.5).all()


@pytest.mark.parametrize("model", ["gpt35_turbo_instruct", "minichat-3b", "wizardlm-13b"])
def test_limits_cover_the_win_rate_of_real_models(model: str) -> None:
    given = pd.read_csv(DATA)[model].dropna().map({"W": "new", "T": "tie", "L": "old"})
    wins, rounds = {f"q{n}": one for n, one in enumerate(given)}, 40
    pool, truth = pool_of(len(wins)), win_rate(wins)
    found = [labelled(neyman.Design(100).draw(pool, seed=seed), wins).outcomes.estimate for seed in range(rounds)]
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert held >= 0.94 - 2 * (0.94 * 0.06 / rounds) ** 0.5
    error = float(np.std([one.value for one in found])) / rounds**0.5
    assert abs(np.mean([one.value for one in found]) - truth) < 4 * error


def test_the_order_follows_from_the_seed_and_is_even() -> None:
    pool = pool_of(400)
    plan = neyman.Design(60).draw(pool, seed=3)
    again = manifest.reproduce(manifest.read(manifest.write(plan, "pool", {}).encode()), pool)
    assert (again.swapped == plan.swapped).all()
    assert (plan.with_budget(90).swapped == plan.swapped).all()
    swapped = np.array([neyman.Design(60).draw(pool, seed=seed).swapped for seed in range(50)])
    assert abs(swapped.mean() - 0.5) < 4 * 0.5 / swapped.size**0.5
    # Neither the draw nor its turn says who stands first.
    drawn = np.concatenate([one[neyman.Design(60).draw(pool, seed=seed).positions] for seed, one in enumerate(swapped)])
    assert abs(drawn.mean() - 0.5) < 4 * 0.5 / drawn.size**0.5


def test_people_who_prefer_a_place_are_shown_and_evened_out() -> None:
    pool = pool_of(300)
    plan = neyman.Design(120, allocation="uniform").draw(pool, seed=0)
    listed = neyman.request(plan, target="new", against="old")
    study = neyman.labelled(plan, listed.assign(label="first"))
    bias = study.outcomes.first_preferred
    assert bias is not None and (bias.value, bias.n_labels, bias.high) == (1.0, 120, 1.0)
    assert study.estimate().low < 0.5 < study.estimate().high
    assert "the one shown first is it in 100.0" in study.outcomes.shares_line
    assert "people prefer a place" in study.outcomes.shares_line
    fair = labelled(plan, verdicts(np.random.default_rng(1), 300, (0.7, 0.1, 0.2))).outcomes.first_preferred
    assert fair is not None and fair.low < 0.5 < fair.high


# A cell of a list, and what it says: "first", "second", "tie", "" for no verdict; None: it is refused.
CELLS = [
    ("first", "first"),
    ("1", "first"),
    ("A", "first"),
    (" a. ", "first"),
    ("Second", "second"),
    ("2", "second"),
    ("b", "second"),
    ("tie", "tie"),
    ("=", "tie"),
    ("both", "tie"),
    ("Neither", "tie"),
    ("equal", "tie"),
    ("tie (bothbad)", "tie"),
    ("skip", ""),
    ("unsure", ""),
    ("?", ""),
    ("3", None),
    ("0", None),
    ("right", None),
    ("wrong", None),
    ("left", None),
    ("yes", None),
    ("better", None),
    ("first or second", None),
]


@pytest.mark.parametrize(("cell", "says"), CELLS)
def test_a_cell_is_a_preference_or_refused_with_its_row(cell: str, says: str | None) -> None:
    plan = neyman.Design(20, allocation="uniform").draw(pool_of(40), seed=0)
    listed = neyman.request(plan, target="new", against="old")
    listed = listed.assign(label=[cell, *["tie"] * 19])
    if says is None:
        with pytest.raises(LabelError, match=r"\(row 1\).*first, second, tie or skip"):
            neyman.labelled(plan, listed)
        return
    study = neyman.labelled(plan, listed)
    assert (study.outcomes.n_open == 1) == (says == "")
    new_first = listed["first_answer"].iloc[0].startswith("new")
    value = {"first": float(new_first), "second": float(not new_first), "tie": 0.5, "": 0.5}[says]
    assert study.outcomes.estimate.value == pytest.approx((19 * 0.5 + value) / 20)


def test_words_mean_a_place_a_tie_or_no_verdict() -> None:
    plan = neyman.Design(20, allocation="uniform").draw(pool_of(40), seed=0)
    listed = neyman.request(plan, target="new", against="old").assign(label=["beide", *["tie"] * 19])
    assert neyman.labelled(plan, listed, words={"beide": "tie"}).estimate().value == 0.5
    assert neyman.labelled(plan, listed, words={"beide": "skip"}).outcomes.n_open == 1
    with pytest.raises(LabelError, match="A word means first, second, tie or skip"):
        neyman.labelled(plan, listed, words={"beide": "right"})
    with pytest.raises(LabelError, match="“tie” always means tie"):
        neyman.labelled(plan, listed, words={"tie": "first"})


def test_names_of_the_models_need_no_order_and_places_do() -> None:
    wins = verdicts(np.random.default_rng(0), 40, (0.5, 0.2, 0.3))
    plan = neyman.Design(20, allocation="uniform").draw(pool_of(40), seed=0)
    table = pd.DataFrame({"item_id": plan.ids, "label": [wins[str(item)] for item in plan.ids]})
    by_name = neyman.labelled(plan, table, "new", against="old")
    assert by_name.estimate() == labelled(plan, wins).estimate()
    other = neyman.labelled(plan, table, "old", against="new").estimate()
    assert other.value == pytest.approx(1 - by_name.estimate().value)
    table["label"] = "first"
    with pytest.raises(LabelError, match=r"which answer\s+stood there. Write the name"):
        neyman.labelled(plan, table, "new", against="old")


def test_models_that_are_called_as_places_are_told_apart() -> None:
    rows = [{"id": f"q{n}", "targets": {"A": {"text": f"a{n}"}, "B": {"text": f"b{n}"}}} for n in range(12)]
    plan = neyman.Design(6, allocation="uniform").draw(Pool.from_records(rows), seed=0)
    listed = neyman.request(plan, target="A", against="B")
    with pytest.raises(LabelError, match=r"of a place at once \(rows 1–6\).*Write first, second or tie"):
        neyman.labelled(plan, listed.assign(label="A"))
    table = pd.DataFrame({"item_id": plan.ids, "label": "A"})
    assert neyman.labelled(plan, table, "A", against="B").estimate().value == 1.0


def test_rows_that_show_the_answers_in_another_order_are_refused() -> None:
    plan = neyman.Design(20, allocation="uniform").draw(pool_of(40), seed=0)
    listed = neyman.request(plan, target="new", against="old").assign(label="first")
    turned = listed.rename(columns={"first_answer": "second_answer", "second_answer": "first_answer"})
    with pytest.raises(LabelError, match="show another answer"):
        neyman.labelled(plan, turned)


def test_equal_answers_are_ties_that_nobody_labels() -> None:
    pool = pool_of(60, equal=range(0, 60, 3))
    plan = neyman.Design(30, allocation="uniform").draw(pool, seed=2)
    listed = neyman.request(plan, target="new", against="old")
    known = {f"q{n}" for n in range(0, 60, 3)} & set(map(str, plan.ids))
    assert known and set(listed["item_id"]) == set(map(str, plan.ids)) - known
    study = neyman.labelled(plan, listed.assign(label=placed(listed, {f"q{n}": "new" for n in range(60)})))
    assert study.estimate().value == pytest.approx(1 - len(known) / 30 / 2) and not study.labels.missing
    assert f"{len(known)} items of the list have twice the same answer" in repr(study)
    assert "of another list" not in repr(study) and study.labels.account.used == len(listed)
    assert study.outcomes.first_preferred is not None
    assert study.outcomes.first_preferred.n_labels == len(listed)


def test_a_begun_list_counts_equal_answers_up_to_its_last_label() -> None:
    """The ties of the whole list beside a few labels gave 52 % for 71 %."""
    equal = tuple(range(0, 300, 3))
    pool, rng = pool_of(300, equal=equal), np.random.default_rng(0)
    wins = {f"q{n}": "tie" if n in equal else "new" if rng.random() < 0.85 else "old" for n in range(300)}
    values, truth = [], win_rate(wins)
    for seed in range(20):
        plan = neyman.Design(90, allocation="uniform").draw(pool, seed=seed)
        listed = neyman.request(plan, target="new", against="old")
        begun = listed.assign(label=placed(listed, wins))
        begun.loc[15:, "label"] = None
        study = neyman.labelled(plan, begun)
        assert 15 <= len(study.labels.values) < 40
        values.append(study.estimate().value)
    assert abs(np.mean(values) - truth) < 3 * np.std(values, ddof=1) / 20**0.5
    assert not any("The last" in one for one in study.remarks)
    with pytest.raises(LabelError):
        neyman.labelled(plan, neyman.request(plan, "right-wrong", "new").assign(label="right"), "new", against="old")


def begun_list(plan: Plan, wins: Mapping[str, str], rows: int) -> neyman.Study:
    """Label the first rows of a list of “new” against “old”."""
    listed = neyman.request(plan, target="new", against="old")
    labels = listed.assign(label=placed(listed, wins))
    labels.loc[rows:, "label"] = None
    return neyman.labelled(plan, labels)


def test_the_beginning_of_a_recommended_list_is_unbiased_wherever_ties_stand() -> None:
    """Strata without a label were fewer where more ties came first: of 150 lists 76 gave .686 for .708, others none."""
    equal = tuple(range(0, 300, 3))
    pool, rng, rounds, held = pool_of(300, equal=equal), np.random.default_rng(0), 60, 0
    wins = {f"q{n}": "tie" if n in equal else "new" if rng.random() < 0.85 else "old" for n in range(300)}
    other = {item: {"new": "old", "old": "new"}.get(one, one) for item, one in wins.items()}
    design, truth, values = neyman.recommend(pool, 90, target="new"), win_rate(wins), []
    for seed in range(rounds):
        plan = design.draw(pool, seed=seed)
        one = begun_list(plan, wins, 30).outcomes.joined
        assert one is not None and one.n_labels == 30
        values.append(one.value)
        held += one.low <= truth <= one.high
        if seed < 4:
            turned = begun_list(plan, other, 30).outcomes.joined
            assert turned is not None and turned.value == pytest.approx(1 - one.value)
    assert abs(np.mean(values) - truth) < 2.5 * np.std(values, ddof=1) / rounds**0.5
    assert held / rounds >= 0.94 - 2 * (0.94 * 0.06 / rounds) ** 0.5
    assert begun_list(plan, wins, 4).outcomes.joined is None


def test_a_begun_list_is_unbiased_over_all_orders_wherever_its_ties_stand() -> None:
    """Four of six pairs in any order, two of them ties, two labels: exact on the mean of the orders of each pattern."""
    plan, ties = neyman.Design(4, allocation="uniform", n_strata=1).draw(pool_of(6), seed=0), np.arange(6) < 2
    values, of_pattern = np.array([0.5, 0.5, 1, 1, 0, 1]), dict[tuple[bool, ...], list[float]]()
    for order in itertools.permutations(range(6), 4):
        positions = np.array(order)
        first = positions[~ties[positions]][:2]
        known = with_ties(replace(plan, positions=positions), ties)
        value = known.with_carried(first, values[first], losses=False).value
        of_pattern.setdefault(tuple(ties[positions].tolist()), []).append(value)
    assert len(of_pattern) == 11
    assert [np.mean(one) for one in of_pattern.values()] == pytest.approx([values.mean()] * len(of_pattern))


def test_a_list_that_ends_in_skips_has_all_its_ties() -> None:
    equal = tuple(range(0, 60, 3))
    pool = pool_of(60, equal=equal)
    plan = neyman.Design(30, allocation="uniform").draw(pool, seed=0)
    listed = neyman.request(plan, target="new", against="old")
    labels = listed.assign(label="first")
    labels.loc[labels.index[-2:], "label"] = "skip"
    study = neyman.labelled(plan, labels)
    assert study.labels.known_ties == study.labels.equal and not study.labels.not_yet
    assert set(study.labels.without_verdict) == set(listed["item_id"].tail(2))
    assert len(study.outcomes.table) == 28


def test_people_who_disagree_leave_a_range() -> None:
    plan = neyman.Design(10, allocation="uniform").draw(pool_of(20), seed=0)
    listed = neyman.request(plan, target="new", against="old")
    one = listed.assign(label="tie", annotator="ann")
    two = listed.head(1).assign(label="first", annotator="bob")
    study = neyman.labelled(plan, [one, two])
    new_first = listed["first_answer"].iloc[0].startswith("new")
    ends = (0.5, 0.55) if new_first else (0.45, 0.5)
    assert study.outcomes.ends == pytest.approx(ends) and len(study.labels.ties) == 1


def test_lists_come_back_from_every_file(tmp_path: Path) -> None:
    wins = verdicts(np.random.default_rng(5), 40, (0.5, 0.2, 0.3))
    plan = neyman.Design(20, allocation="uniform").draw(pool_of(40), seed=0)
    listed, own = neyman.request(plan, target="new", against="old"), labelled(plan, wins).estimate()
    labels = dict(zip(listed["item_id"], placed(listed, wins), strict=True))
    assert "new" not in " ".join(map(str, listed.drop(columns=["first_answer", "second_answer"]).to_numpy().ravel()))

    def back(name: str, text: str) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        study = neyman.labelled(plan, tmp_path / name)
        assert (study.kind, study.target) == (KIND, PAIR) and study.estimate() == own

    rows = list(csv.DictReader(export(listed, "csv", KIND).decode("utf-8-sig").splitlines()))
    frame = pd.DataFrame(rows).assign(label=[labels[row["item_id"]] for row in rows])
    back("list.csv", frame.to_csv(index=False))
    lines = [json.loads(line) for line in export(listed, "jsonl", KIND).decode().splitlines()]
    back("list.jsonl", "\n".join(json.dumps(one | {"label": labels[one["item_id"]]}) for one in lines))
    lines = [json.loads(line) for line in export(listed, "prodigy", KIND).decode().splitlines()]
    assert [one["id"] for one in lines[0]["options"]] == ["first", "second", "tie"]
    said = [one | {"accept": [labels[one["item_id"]]], "answer": "accept"} for one in lines]
    back("prodigy.jsonl", "\n".join(map(json.dumps, said)))
    tasks = json.loads(export(listed, "label-studio", KIND))
    for task in tasks:
        value = {"choices": [labels[task["data"]["item_id"]]]}
        result = {"from_name": "neyman_label", "to_name": "shown_text", "type": "choices", "value": value}
        task["annotations"] = [{"result": [result], "completed_by": 1}]
    back("studio.json", json.dumps(tasks))
    assert parted(tasks[0]["data"]["text"].split("\n\n", 1)[1])[0] == listed["first_answer"].iloc[0]


def test_report_bundle_and_numbers(tmp_path: Path) -> None:
    pool = pool_of(80, equal=(3, 4, 5))
    study = labelled(neyman.Design(40).draw(pool, seed=1), verdicts(np.random.default_rng(2), 80, (0.5, 0.3, 0.2)))
    bundle = neyman.report(study, tmp_path / "bundle.zip")
    again = neyman.reproduce(bundle, pool)
    assert again.estimate() == study.estimate() and again.outcomes.preferred == study.outcomes.preferred
    facts = json.loads(neyman.report(study, tmp_path / "report.json").read_text())
    pairs = facts["preferences"]
    assert pairs["wins"]["value"] + pairs["ties"]["value"] + pairs["losses"]["value"] == pytest.approx(1)
    assert pairs["wins"]["value"] + pairs["ties"]["value"] / 2 == pytest.approx(facts["estimate"]["value"])
    assert pairs["first_preferred"]["n_labels"] == sum(abs(study.outcomes.values - 0.5) > 0.1)
    page = neyman.report(study, tmp_path / "report.html").read_text()
    assert "win rate" in page and "ties as half" in page


def test_two_models_are_compared_against_one_baseline() -> None:
    pool, rows = pool_of(60, more=("third",)), []
    plan = neyman.Design(30, allocation="uniform").draw(pool, seed=0)
    for name, winner in (("new", "new"), ("third", "old")):
        listed = neyman.request(plan, target=name, against="old")
        labels = ["first" if first.startswith(winner) else "second" for first in listed["first_answer"]]
        rows.append(listed.assign(label=labels))
    study = neyman.labelled(plan, pd.concat(rows), PAIR)
    compared = study.compare("third against old")
    assert compared.values is not None and [one.value for one in compared.values] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"against": "old"}, "Two different targets"),
        ({"target": "new", "against": "new"}, "Two different targets"),
        ({"target": "new", "against": "other"}, "Its targets are “new”, “old” and “third”"),
        ({"target": "new", "against": "old", "kind": "gold"}, "compare no two targets"),
        ({"target": "new", "kind": KIND}, "against="),
    ],
)
def test_a_pair_needs_two_targets_of_the_pool(words: dict[str, str], why: str) -> None:
    plan = neyman.Design(20, allocation="uniform").draw(pool_of(40, more=("third",)), seed=0)
    with pytest.raises(LabelError, match=why):
        neyman.request(plan, **words)  # type: ignore[arg-type]
    with pytest.raises(LabelError, match=why):
        table = pd.DataFrame({"item_id": plan.ids, "label": "tie"})
        neyman.labelled(plan, table, **words)  # type: ignore[arg-type]


def test_a_pair_is_found_in_names_with_the_same_word() -> None:
    targets = ["a", "b", "a against b", "c against d"]
    assert ModelPair.of("a against b", targets) == ModelPair("a", "b")
    assert ModelPair.of("a against b against c against d", targets) == ModelPair("a against b", "c against d")
    assert ModelPair.of("a against a", targets) is ModelPair.of("c", targets) is ModelPair.of(None, targets) is None
    assert KINDS[KIND].losses == (0.0, 1.0, 0.5)


def test_the_command_lists_a_pair_and_says_its_win_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, folder = tmp_path / "pool.jsonl", tmp_path / "list"
    pool_of(80, equal=(1, 2, 3)).write(file)
    of = ["--target=new", "--against=old"]
    assert main(["study", "list", str(file), "--labels=30", "--seed=1", *of, f"--out={folder}"]) == 0
    said = capsys.readouterr().out
    assert "with first, second, tie: which answer is better." in said and "accuracy" not in said
    listed = pd.read_csv(folder / LIST, dtype=str)
    listed["label"] = placed(listed, {f"q{n}": "new" if n % 2 else "tie" for n in range(80)})
    listed.to_csv(tmp_path / "back.csv", index=False)
    assert main(["study", "estimate", str(folder), str(tmp_path / "back.csv")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("new against old: Win rate ") and "30 labels (which is better)" in said
    assert "Wins " in said and "Of " in said and "the one shown first is it in" in said
    assert main(["study", "estimate", str(folder), str(tmp_path / "back.csv"), "--target=old", "--against=new"]) == 2
    assert "judge the answers of “new against old”" in capsys.readouterr().err


def test_the_verdicts_of_a_file_stand_beside_those_of_people() -> None:
    """A judge that flatters: every third loss by people is a win, and every tie a win, by the judge."""
    rng = np.random.default_rng(6)
    wins = verdicts(rng, 120, (0.3, 0.3, 0.4))
    says = {
        item: 1.0 if one == "tie" or (one == "old" and n % 3 == 0) else {"new": 1.0, "old": 0.0}[one]
        for n, (item, one) in enumerate(wins.items())
    }
    rows = [
        {
            "id": item,
            "targets": {
                **{name: {"text": f"{name} on {item}"} for name in ("new", "old")},
                PAIR: {"loss": 1 - value},
            },
        }
        for item, value in says.items()
    ]
    pool = Pool.from_records(rows)
    study = labelled(neyman.Design(120, allocation="uniform").draw(pool, seed=0), wins)
    held = study.judged_pairs
    assert held is not None and held.judge_only == pytest.approx(np.mean(list(says.values())))
    assert held.bias.value == pytest.approx(held.judge_only - win_rate(wins)) and held.bias.value > 0.2
    people = list(wins.values())
    table = held.table().pivot(index="judge", columns="people", values="labels")
    assert table.loc["win", "tie"] == people.count("tie") and table.loc["tie"].sum() == 0
    assert table.loc["loss", "loss"] == sum(says[item] == 0 for item in wins) and table.to_numpy().sum() == 120
    assert "The verdicts of the file, on every pair, give a win rate of" in repr(study) and "too high" in held.sentence
    some = labelled(neyman.Design(60, allocation="uniform").draw(pool, seed=1), wins)
    assert some.judged_pairs is not None and some.judged_pairs.bias.low < held.bias.value < some.judged_pairs.bias.high
    assert labelled(neyman.Design(20, allocation="uniform").draw(pool_of(40), seed=0), wins).judged_pairs is None
