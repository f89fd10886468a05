"""Names that fields have in files of other tools, and how near a path comes to one.

They are those of LangSmith, MLflow, Weave, Phoenix, Braintrust and spreadsheets of colleagues, in several languages.
The rank of a path says how far from the value such a name stands: the one nearest to the value is the likeliest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from ..files import foreign_names
from ..files.foreign_names import plain_key
from ..words.verdict_words import CERTAIN, SAYS_RIGHT, spelling


def _foreign(*roles: str) -> tuple[str, ...]:
    """List the names of roles in other languages as they are compared."""
    return tuple(plain_key(name) for role in roles for name in foreign_names.names(role))


# What tells a right label or class from that of a model; “label_correct” says how right one is.
_TRUE = ("true", "correct", "right", "actual", "real", "gold", "golden", "reference", "expected", "groundtruth")

# Names that fields have elsewhere, the likeliest first, as `plain_key` writes them.
NAMES: Mapping[str, tuple[str, ...]] = {
    "prompt": (
        *("prompt", "question", "input", "query", "instruction", "problem", "userinput", "usermessage", "stem"),
        *_foreign(foreign_names.PROMPT),
        *("text", "content"),
    ),
    "answer": (
        "expected",
        "expectedoutput",
        "expectedoutputs",
        "expectedresponse",
        "expectedanswer",
        "correctanswer",
        "rightanswer",
        "bestanswer",
        *("ytrue", "truey", "goldstandard", "groundtruths", "answerkey"),
        *(f"{which}{what}" for which in _TRUE for what in ("label", "class", "value", "category")),
        *_foreign(foreign_names.RIGHT_ANSWER),
        "gold",
        "goldanswer",
        "groundtruth",
        "reference",
        "referenceanswer",
        "referenceoutput",
        "referenceoutputs",
        *("correctoption", "rightoption", "correctchoice", "rightchoice", "cop"),
        "answer",
        *_foreign(foreign_names.ANSWER),
        "label",
        "target",
        "targets",
        "ideal",
        "solution",
    ),
    "choices": ("choices", "options", "endings", *_foreign(foreign_names.CHOICES)),
    "group": ("group", "category", "subject", "topic", "domain", *_foreign(foreign_names.GROUP), "task"),
    "generations": (
        "generations",
        "samples",
        "outputs",
        "responses",
        "completions",
        "predictions",
        "answers",
        "candidates",
        "runs",
        "trials",
    ),
}
# From this name on, what is called so may also be a model's.
_ALSO_OUTPUTS = NAMES["answer"].index("answer")
ANSWERS = frozenset({"answer", *_foreign(foreign_names.ANSWER)})
INPUTS = (*NAMES["prompt"], "inputs", "request", "example")
ID_NAMES = (
    "itemid",
    "questionid",
    "exampleid",
    "datasetexampleid",
    "sampleid",
    "instanceid",
    "docid",
    "testid",
    "testcaseid",
    "caseid",
    "problemid",
    "promptid",
    "queryid",
    "taskid",
    *("conversationid", "conversationhash", "chatid", "threadid", "sessionid", "dialogid", "dialogueid"),
    "id",
    "uuid",
    "key",
    "index",
    "qid",
    "traceid",
    "runid",
    "rowid",
    "nr",
    "no",
    *_foreign(foreign_names.NUMBER),
    *("test", "testname", "testcase", "case", "casename"),
    "zipfile",
)
OUTPUT_NAMES = (
    "output",
    "outputs",
    "actualoutputs",
    "response",
    "prediction",
    "completion",
    "modeloutput",
    "modelanswer",
    "modelresponse",
    "final",
    "finalanswer",
    "reply",
    "actual",
    "generation",
    "actualoutput",
    "predict",
    *_foreign(foreign_names.OUTPUT),
    "answer",
    *_foreign(foreign_names.ANSWER),
    "result",
    "pred",
    "predicted",
    *("ypred", "predictedlabel", "predictedclass", "predictedvalue"),
)
_OUTPUTS = frozenset(OUTPUT_NAMES) - ANSWERS
SCORE_NAMES = (
    "correct",
    "iscorrect",
    "correctness",
    "right",
    "passed",
    "pass",
    "success",
    "score",
    "accuracy",
    "acc",
    "exactmatch",
    "em",
    "followallinstructions",
    "resolved",
    "solved",
    "grade",
    "ok",
    "isok",
    *("isresolved", "issolved", "ispassed", "issuccess", "issuccessful", "successful", "succeeded", "taskcompleted"),
    *("gradedlist", "pass1"),
    *_foreign(foreign_names.RIGHT, foreign_names.SCORE),
)
# Names of what may be said of a call as well as of an answer, and what is said of a call that went well.
CALLS_THAT_WENT_WELL: Mapping[str, float] = {
    **dict.fromkeys(("success", "issuccess", "issuccessful", "successful", "succeeded", "ok", "isok"), 1.0),
    **dict.fromkeys(("error", "iserror", "haserror", "errors", "failed", "isfailed", "failure"), 0.0),
}
# What may be the success of an agent, 0 or 1, or the number that another model gives.
REWARDS = ("reward", "rewards", "finalreward", "taskreward", "successrate")
JUDGE_NAMES = (
    "judge",
    "llmjudge",
    "judgescore",
    "verdict",
    "confidence",
    "pcorrect",
    "probability",
    "faithfulness",
    "factuality",
    "relevance",
    "helpfulness",
    "reward",
    "rating",
    *_foreign(foreign_names.SCORE, foreign_names.VERDICT),
)
# How columns end that say why a judge decides so.
REASONS = ("reason", "reasoning", "explanation", "rationale", "critique", "comment", "feedback")
# What an output that is an object calls its answer, the likeliest first; and words of what it says beside that.
ANSWER_PARTS = (
    *(
        "finalanswer",
        "answer",
        *_foreign(foreign_names.ANSWER, foreign_names.OUTPUT),
        "final",
        "prediction",
        "predictedlabel",
    ),
    *(
        "predicted",
        "label",
        "verdict",
        *_foreign(foreign_names.VERDICT),
        "choice",
        "option",
        "selectedoption",
        "selected",
    ),
    *("classification", "class", "decision", "response", "output", "result", "value", "sentiment", "category", "sql"),
    *("code", "text", "content"),
)
BESIDE_ANSWERS = frozenset(
    {
        "reasoning",
        "reason",
        "reasons",
        "rationale",
        "explanation",
        "explain",
        "thought",
        "thoughts",
        "thinking",
        "think",
    }
    | {"analysis", "justification", "steps", "step", "cot", "chain", "work", "working", "evidence", "confidence"}
    | {"probability", "certainty", "notes", "comment", "scratchpad", "reflection", "plan", "sources", "citations"}
)
# Words in the names of what holds scores, and of amounts, which are none; how an object calls its score.
_OF_SCORES = frozenset(
    {"scores", "feedback", "annotation", "annotations", "evaluation", "evaluations", "assessments", "evals", "eval"}
)
# Words that begin or end names of who scored, and of how the scoring went, which are no scores.
_BEGINS_NO_SCORE = frozenset({"was", "lead", "ground", "created", "updated", "submitted", "draft"})
_ENDS_NO_SCORE = frozenset({"by", "at", "id", "ids", "annotator", "annotators", "user", "username", "email"})
AMOUNTS = frozenset(
    {"n", "count", "total", "std", "stdev", "tokens", "cost", "latency", "duration", "seconds", "ms", "time"}
    | {"steps", "turns", "iterations"}
)
VALUES = ("score", "value", "avg", "mean")
# Words in names that are in no list, such as “gpt4_answer” or “Expected result”; and those of something else.
WORDS: Mapping[str, frozenset[str]] = {
    "prompt": frozenset({"prompt", "question", "query", "instruction", "problem", *_foreign(foreign_names.PROMPT)}),
    "answer": frozenset({"expected", "gold", "golden", "truth", "groundtruth", "gt", "reference", "ideal"}),
    "output": frozenset(
        {"output", "response", "answer", "prediction", "completion", "reply", "generated"}
        | {*_foreign(foreign_names.OUTPUT, foreign_names.ANSWER)}
    ),
    "right": frozenset({"correct", "right", "passed"}),
    "generations": frozenset(NAMES["generations"]),
}
SEVERAL_ANSWERS = frozenset({"answers", "responses", "outputs", "completions", "solutions", "aliases"})
# Words in the names of right answers beside one for an answer, as in “ground_truth_answer”, and what joins them.
TRUTHS = WORDS["answer"] | {
    *("ground", "ref", "correct", "right", "true", "target", "label", "labelled", "labeled", "annotated", "official"),
    *("standard", "solution", "oracle", "key", "verified", "result", "the", "of", "de", "di", "la", "y"),
    *_foreign(foreign_names.REFERENCE),
}

OTHERS = AMOUNTS | {
    "id",
    "ids",
    "type",
    "kind",
    "name",
    "model",
    "format",
    "length",
    "status",
    "url",
    *("date", "datetime", "timestamp"),
    "version",
    "ref",
    "role",
    # Of a response of OpenAI’s interface, what is no text of it.
    *("hash", "digest", "reason", "token", "tokens", "logprob", "logprobs", "object", "fingerprint", "tier"),
}
# Words of how a request went, beside the name of a model.
OF_CALLS = frozenset({"timeout", "timeouts", "truncated", "retried", "cached", "parsed", "used", "better", "worse"})
# Words of what is known of an item.
OF_ITEMS = frozenset(
    {"is", "has", "verified", "validated", "reviewed", "checked", "difficulty", "difficult", "easy", "hard", "level"}
    | {"weight", "split", "fold", "year", "language", "lang", "source", "topic", "tag", "tags", "comment", "comments"}
    | {"note", "notes", "annotator", "flag"}
)
# Whoever answers, in names such as “what the bot said”, and what they do there; what tells “answer of our model” from
# “answer model”.
SPEAKERS = frozenset(
    {"model", "models", "ai", "llm", "bot", "chatbot", "assistant", "system", "agent", "candidate", "gpt", "claude"}
)
_SAYING = frozenset(
    {"said", "says", "say", "answered", "answers", "replied", "replies", "responded", "responds", "wrote", "writes"}
)
_WHOSE = frozenset({"of", "by", "from"})
# What a form of the right answer is called, as in “answer_idx” and “original answer”.
ANSWER_FORMS = frozenset(
    {"idx", "index", "letter", "option", "label", "number", "original", "normalized", "normalised", "clean", "cleaned"}
    | {"explanation", "key"}
)
# Whoever asks.
ASKERS = frozenset({"user", "users", "customer", "customers", "client"})
# Whoever answers and is no model.
PEOPLE = frozenset(
    {*ASKERS, "human", "humans", "person", "people", "expert", "experts"}
    | {"annotator", "annotators", "reviewer", "reviewers"}
)
# Who agreed on what, and what stands beside them in the names of columns that have it.
_AGREED = PEOPLE - ASKERS | {"majority", "consensus", "adjudicated", "adjudication", "adjudicator", "crowd", "rater"}
_SAID = frozenset({"label", "labels", "labelled", "labeled", "vote", "votes", "voted", "answer", "class", "choice"})
_SAID |= {"code", "coded", "coding", "decision", "value", "annotation", "annotated", "category", "final", "by", "s"}
# What a column of verdicts is called.
JUDGES = frozenset({"judge", "verdict", "grader", *_foreign(foreign_names.VERDICT)})
# Words in the names of texts that no model said, or that are named by what is thought of them.
NO_MODELS = frozenset(
    {"human", "best", "short", "long", "chosen", "rejected", "preferred", "matching", "behavior", "behaviour"}
    | {"match", "matches", "f1", "em", "bleu", "rouge", "similarity", "relevance", "relevancy", "correctness"}
)
# Words in the names of what is correct or passed without being a verdict on an answer, as “correct_answer_index”.
_NO_VERDICTS = frozenset({"index", "idx", "position", "filter", "filters", "filtered", "filtering", "letter", "option"})
# Words in the names of lists of right answers, and of wrong ones; none of these lists holds a model's samples.
_RIGHT_ONES = frozenset({"correct", "right", "accepted", "acceptable", "possible", "valid", "true"}) | WORDS["answer"]
_ALIASES = "aliases"
_WRONG_ONES = frozenset({"incorrect", "wrong", "false", "distractor", "distractors", "negative", "rejected", "bad"})
_WRONG_CHOICES = frozenset({"incorrect", "wrong", "distractor", "distractors"})
_NOT_BESIDE = {"right": _NO_VERDICTS, "generations": _RIGHT_ONES | _WRONG_ONES}
VERDICTS = frozenset({"correct", "incorrect", "right", "wrong", "pass", "passed", "fail", "failed"})
# Words in the names of verdicts on what a model said, beside those of the model and of its output.
OF_VERDICTS = frozenset(
    {
        "verdict",
        "grade",
        "graded",
        "label",
        "labelled",
        "labeled",
        "pass",
        "passed",
        "correct",
        "right",
        "score",
        "rating",
    }
    | {"judgment", "judgement", "evaluation", "eval", "outcome", "result", "accuracy", "acc", "success", "ok"}
)
# Names of a run, not of the item that ran, and what holds them.
RUNS = frozenset({"run", "runs", "trace", "span"})
OF_RUNS = frozenset(
    {"id", "uuid", "key", "index", "traceid", "runid", "rowid", "nr", "no", *_foreign(foreign_names.NUMBER)}
)
MODEL_NAMES = (
    *("model", "modelname", "modelid", "modelversion", "modelslug", "llm", "llmname", "providerid", "provider"),
    *_foreign(foreign_names.MODEL),
    "zipfile",
)
# Names of what may be a model, or its prompt.
MODEL_LIKE = (
    *("deployment", "deploymentname", "deploymentid", "engine", "checkpoint", "system", "systemname"),
    *("agent", "agentname", "bot"),
)
NUMBERED = re.compile(r"(output|response|generation|sample|completion|prediction|run|answer)s?_?\s?\d+")
OPTION = re.compile(r"(?:(?:option|choice|op)[_ ]?)?([a-z])|(?:option|choice|ending|sol)[_ ]?\d+")
# Words of scores that are bad if they are high, and words that turn them round.
_FAULTS = frozenset(
    {"hallucination", "hallucinations", "hallucinated", "hallucinates", "toxicity", "toxic", "error"}
    | {"errors", "errored", "harm", "harms", "harmful", "harmfulness", "malicious", "maliciousness", "bias"}
    | {"biased", "incorrect", "incorrectness", "wrong", "fail", "fails", "failed", "failure", "failures"}
    | {"refusal", "refusals", "refused", "refuses", "jailbreak", "jailbreaks", "jailbroken", "bug", "bugs"}
    | {"buggy", "noise", "flagged", "violation", "violations", "violated", "unsafe", "leak", "leakage"}
    | {"leaked", "misinformation", "mistake", "mistakes", "inaccurate", "inaccuracy", "insult", "insults"}
    | {"profanity", "offensive", "stereotype", "stereotypes", "hateful", "hate", "contradiction"}
    | {"contradictions"}
)
_TURNED = frozenset({"no", "not", "non", "without", "free", "freedom", "avoids", "avoided", "resisted", "resistance"})
# Names of columns in which 1 means wrong.
WRONG_NAMES = (
    *("wrong", "iswrong", "incorrect", "isincorrect", "failed", "isfailed", "fail", "failure", "error", "iserror"),
    *("errors", "haserror", "mistake", "ismistake", "notcorrect", "loss"),
    *_foreign(foreign_names.WRONG),
)
_ANSWERS_AND_SCORES = frozenset((*NAMES["answer"], *SCORE_NAMES))
_LAST = re.compile(r"(?<![^.\[\]])[^.\[\]]++(?=[\[\].\d]*$)")
_KEYS = re.compile(r"[^.\[\]/]+")
# What a column says of its values behind its name, such as “(1/0)” and “(yes/no)”.
_VALUES = re.compile(
    r"\s*\((?:[\W\d_]+|y/n|yes/no|true/false|ja/nein|wahr/falsch|oui/non|vrai/faux|s[ií]/no|sim/não)\)\s*$",
    re.IGNORECASE,
)
# A name of two opposites, such as “Pass/Fail” and “right or wrong”.
_PAIR = re.compile(r"(?<![^.\[\]])([^\W\d]+)\s*(?:/|\s(?:or|oder|ou|o|e)\s)\s*([^\W\d]+)\s*$", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")


def has_more(keys: Iterable[str], own: Collection[str]) -> bool:
    """Whether a record has right answers or scores beside a tool's own fields, so that another tool wrote it."""
    return not _ANSWERS_AND_SCORES.isdisjoint(plain_key(key) for key in keys if key not in own)


def name_rank(path: str, names: Sequence[str]) -> tuple[int, int] | None:
    """Return how far from the value, and how late in the list, the first of the names stands; None for none.

    What such a key holds is none of it if the value is called an id, a type, a role …
    """
    keys = keys_of(path)
    for distance, key in enumerate(reversed(keys)):
        if key in names:
            inner = words_of(path)[len(keys) - distance :]
            return None if any(not OTHERS.isdisjoint(words[-1:]) for words in inner) else (distance, names.index(key))
    return None


def answer_rank(path: str) -> tuple[int, ...] | None:
    """Return the rank among names of right answers; what a model or a run has is likely to be its output."""
    rank, keys = name_rank(path, NAMES["answer"]), keys_of(path)
    # What a pool’s “targets” hold, “targets.gpt-4.correct”, is a model’s. Label Studio’s “ground_truth” says whether an
    # annotation is one.
    if rank is None or (keys[0] == "targets" and len(keys) > 2) or keys[-2:] == ("annotations", "groundtruth"):
        return None
    only_right = set(NAMES["answer"][:_ALSO_OUTPUTS])
    return not RUNS.union(OUTPUT_NAMES).isdisjoint(keys[:-1]), only_right.isdisjoint(keys), *rank


def may_be_said(path: str) -> bool:
    """Whether a path is called as a right answer that may also be a model's, such as “answer” and “label”."""
    return last_name(path) in NAMES["answer"][_ALSO_OUTPUTS:]


def prompt_rank(path: str) -> tuple[int, int] | None:
    """Return the rank among names of questions; “text” and “content” within an output are the model’s."""
    rank, keys = name_rank(path, INPUTS), keys_of(path)
    if rank is None or INPUTS[rank[1]] not in ("text", "content"):
        return rank
    return rank if _OUTPUTS.isdisjoint(keys[: len(keys) - 1 - rank[0]]) else None


def is_fault(path: str) -> bool:
    """Whether what a path holds, or a score of this name, is bad if it is true: “toxicity”, but not “non-toxic”."""
    faults = (words for words in words_of(path) if not _FAULTS.isdisjoint(words))
    return last_name(path) in WRONG_NAMES or any(_TURNED.isdisjoint(words) for words in faults)


def score_rank(path: str) -> tuple[int, int] | None:
    """Return how far from the value the name of what holds scores stands, called as scores are first; None for none.

    A name such as ``exact_match/v1/score`` says that it is one; one such as ``completed_by`` or ``was_cancelled`` says
    who scored, or how.
    """
    keys, words = keys_of(path), words_of(path)
    if not (_BEGINS_NO_SCORE.isdisjoint(words[-1][:1]) and _ENDS_NO_SCORE.isdisjoint(words[-1][-1:])):
        return None
    if any(one[-1:] == ("by",) for one in words):
        return None
    distance = next((place for place, one in enumerate(reversed(words)) if not _OF_SCORES.isdisjoint(one)), None)
    called = keys[-1] in SCORE_NAMES or words[-1][-1:] in [(value,) for value in VALUES]
    if distance is None and "/" in last_key(path) and called:
        distance = 1
    return None if distance is None or not AMOUNTS.isdisjoint(words[-1]) else (not called, distance)


@lru_cache(4_096)
def words_of(path: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each key: “modelOutput” and “model_output” have two."""
    keys = ("".join(filter(_no_mark, unicodedata.normalize("NFKD", key))) for key in _keys(path))
    return tuple(tuple(word.casefold() for word in _WORD.findall(key)) for key in keys) or ((),)


def _no_mark(char: str) -> bool:
    return not unicodedata.combining(char)


@lru_cache(4_096)
def keys_of(path: str) -> tuple[str, ...]:
    """Return the keys of a path from the outermost on, without case and signs; one empty key if it has none."""
    return tuple(map(plain_key, _keys(path))) or ("",)


def _keys(path: str) -> list[str]:
    bare = _VALUES.sub("", path) if path.endswith(")") else path
    return _KEYS.findall(_PAIR.sub(_without_opposite, bare))


def _without_opposite(match: re.Match[str]) -> str:
    """Return “correct” for a name of two opposites, in which 1 means right whichever stands first."""
    said = {{**SAYS_RIGHT, **CERTAIN}.get(spelling(word)) for word in match.groups()}
    is_score = any(plain_key(word) in (*SCORE_NAMES, *WRONG_NAMES) for word in match.groups())
    return "correct" if said == {True, False} and is_score else match[0]


def last_key(path: str) -> str:
    """Return the innermost key of a path as it is written."""
    match = _LAST.search(path)
    return match[0] if match else path


def last_name(path: str) -> str:
    """Return the innermost key of a path without case and signs."""
    return keys_of(path)[-1] if _KEYS.search(path) else ""


def has_word(path: str, meaning: str) -> bool:
    """Whether the name of a path has one of the words of a meaning (`WORDS`), and none of something else."""
    words = words_of(path)[-1]
    if meaning in _NOT_BESIDE and not _NOT_BESIDE[meaning].isdisjoint(words):
        return False
    return not WORDS[meaning].isdisjoint(words) and OTHERS.isdisjoint(words)


def holds_right_answers(path: str) -> bool:
    """Whether a path is called as a list of right answers: “correct_answers” and “aliases”, but not “wrong answers”."""
    words = words_of(path)[-1]
    is_right = words[-1:] == (_ALIASES,) or not _RIGHT_ONES.isdisjoint(words)
    return is_right and _WRONG_ONES.isdisjoint(words) and words[-1] in SEVERAL_ANSWERS


def is_said(path: str) -> bool:
    """Whether a path is called as what a model said: “bot reply”, “my model’s answer”, “what the assistant said”.

    “Model” may be part of such a name, but “answer model” says which model it was.
    """
    words = words_of(path)[-1]
    named = words[-1:] == ("model",) and _WHOSE.isdisjoint(words)
    others = (OTHERS if named else OTHERS - {"model"}) | NO_MODELS | JUDGES | PEOPLE | _WRONG_CHOICES
    says = WORDS["output"] if SPEAKERS.isdisjoint(words) else WORDS["output"] | _SAYING
    return others.isdisjoint(words) and not says.isdisjoint(words)


def is_asked(path: str) -> bool:
    """Whether a path is called as what people said to a model: “what the customer said”, “user wrote”."""
    words = words_of(path)[-1]
    return not ASKERS.isdisjoint(words) and not _SAYING.isdisjoint(words) and OTHERS.isdisjoint(words)


def is_of_people(path: str) -> bool:
    """Whether a path is called as what people say, alone or in agreement: “human”, “expert label”, “majority vote”."""
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    return not words.isdisjoint(_AGREED) and words <= _AGREED | _SAID


def is_reason(path: str) -> bool:
    """Whether a path is called as what says why a judge decides."""
    return any(plain_key(path).endswith(word) for word in REASONS)
