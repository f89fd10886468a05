"""The shape of the project: what each part may import, and what core never touches."""

from __future__ import annotations

import ast
import graphlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in ("core", "neyman", "pages", "server", "bench", "data")
    for path in sorted((ROOT / folder).rglob("*.py"))
} | {path.stem: path for path in ROOT.glob("*.py")}
CORE = {name: path for name, path in SOURCES.items() if name.split(".")[0] == "core"}

# The rooms of core and exactly what each imports; every room may know the errors, the words (with catalogues, and
# how objects show themselves in a notebook) and the version.
KNOWS: dict[str, set[str]] = {
    "answers": set(),
    "web": set(),
    "lure": set(),
    "paper": set(),
    "signals": {"pool"},
    "files": set(),
    "pool": {"answers"},
    "readers": {"answers", "files", "pool"},
    "stratification": {"pool", "signals"},
    "allocation": {"stratification"},
    "estimation": {"allocation"},
    "design": {"allocation", "answers", "estimation", "figures", "files", "pool", "signals", "stratification"},
    "simulation": {"allocation", "design", "estimation", "pool", "stratification"},
    "labels": {"answers", "design", "files", "pool", "readers", "web"},
    "archive": {"files", "labels", "pool", "readers"},
    "figures": {"allocation"},
    "gates": {"allocation", "answers", "design", "estimation", "labels", "pool"},
    "study": {
        "answers",
        "archive",
        "design",
        "estimation",
        "figures",
        "files",
        "gates",
        "labels",
        "pool",
        "prospect",
        "stratification",
    },
    "bank": {"allocation", "answers", "archive", "study", "estimation", "gates", "labels", "pool"},
    "judge": {"archive", "design", "estimation", "figures", "labels", "pool", "readers", "stratification", "study"},
    "contests": {"archive", "design", "estimation", "gates", "labels", "pool", "signals", "stratification", "study"},
    "report": {
        "allocation",
        "contests",
        "design",
        "estimation",
        "figures",
        "judge",
        "labels",
        "pool",
        "prospect",
        "stratification",
        "study",
    },
    "lab": {
        "allocation",
        "bank",
        "design",
        "estimation",
        "lure",
        "pool",
        "prospect",
        "readers",
        "signals",
        "simulation",
        "stratification",
    },
    "planning": set(),
    "prospect": {
        "allocation",
        "design",
        "estimation",
        "gates",
        "pool",
        "signals",
        "simulation",
        "stratification",
    },
    "surrogate": {"answers", "archive", "files", "labels", "pool", "readers", "web"},
    "commands": {
        "allocation",
        "answers",
        "archive",
        "bank",
        "design",
        "estimation",
        "gates",
        "judge",
        "lab",
        "labels",
        "pool",
        "prospect",
        "readers",
        "report",
        "contests",
        "stratification",
        "study",
        "surrogate",
    },
}
EVERYBODYS = {"__version__", "errors", "words"}

# (module, names): what would make a result depend on the machine or the moment it is computed.
AMBIENT = {
    "os": {"environ", "environb", "getenv", "putenv"},
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "localtime", "gmtime", "strftime"},
    "datetime": {"now", "today", "utcnow"},
}
CALLED_BACK = {"on_click", "on_change", "on_select", "on_outbox_change"}
SEEDED_RANDOMNESS = {"default_rng", "Generator", "SeedSequence", "BitGenerator", "PCG64", "PCG64DXSM", "Philox"}


def room_of(module: str) -> str:
    """The room of core in which a module stands: ``core.readers.csv_table`` → ``readers``."""
    return module.split(".")[1]


@cache
def tree(path: Path) -> ast.Module:
    """What a file says, parsed once."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(code: ast.AST) -> tuple[ast.AST, ...]:
    """Everything in a module, walked through once for all tests."""
    return tuple(ast.walk(code))


def is_script(node: ast.AST) -> bool:
    """Whether something runs only where its file is started as a script."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def imports(code: ast.AST, package: str = "") -> Iterator[str]:
    """Every dotted name that a module imports anywhere but as a script, ``from a import b`` as ``a.b``."""
    scripts = {inner for node in ast.iter_child_nodes(code) if is_script(node) for inner in ast.walk(node)}
    for node in nodes(code):
        if node in scripts:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def dotted(node: ast.expr) -> list[str]:
    """The names of an attribute, from the left: ``np.random.seed`` → np, random, seed."""
    if isinstance(node, ast.Attribute):
        return [*dotted(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else []


def ambient_names(code: ast.AST) -> set[str]:
    """Where a module reads the environment, the clock, or randomness without a seed."""
    names = list(imports(code))
    ambient = {name for name in names if name.split(".")[0] == "random"}
    for name in names:
        module, _, last = name.rpartition(".")
        if last in AMBIENT.get(module, set()) or (module == "numpy.random" and last not in SEEDED_RANDOMNESS):
            ambient.add(name)
    for node in nodes(code):
        if isinstance(node, ast.Attribute):
            chain = dotted(node)
            if any(node.attr in kinds and module in chain for module, kinds in AMBIENT.items()):
                ambient.add(".".join(chain))
            if chain[:-1] in (["np", "random"], ["numpy", "random"]) and node.attr not in SEEDED_RANDOMNESS:
                ambient.add(".".join(chain))
            if chain in (["date", "today"], ["pd", "Timestamp", "now"]):
                ambient.add(".".join(chain))
    return ambient


def core_imports(module: str) -> set[str]:
    """The modules of core that a module of core imports, each as the file that is meant."""
    path = CORE[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names = set()
    for name in imports(tree(path), package):
        target = name if name in CORE else name.rpartition(".")[0]
        if target in CORE and target != module and target != "core":
            names.add(target)
    return names


def roots(path: Path) -> set[str]:
    """The packages that a file imports by their names; a relative import names none."""
    code = tree(path)
    given = {
        node.module.split(".")[0]
        for node in nodes(code)
        if isinstance(node, ast.ImportFrom) and not node.level and node.module
    }
    return given | {
        alias.name.split(".")[0] for node in nodes(code) if isinstance(node, ast.Import) for alias in node.names
    }


def test_imports_inside_core_are_relative() -> None:
    """So that the same files are the package `core` of a checkout and a part of an installed one."""
    assert {name for name, path in CORE.items() if "core" in roots(path)} == set()


# A group, or the end of one, that is repeated without going back.
POSSESSIVE = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+")


def test_core_is_found() -> None:
    assert {"core", "core.errors"} <= set(CORE)


def test_every_core_module_imports_without_streamlit_torch_and_vllm() -> None:
    names = [name for name in CORE if not name.endswith("__main__")]
    code = f"""
import importlib, json, sys
sys.modules.update(dict.fromkeys(("streamlit", "torch", "vllm")))
failed = {{}}
for name in {names!r}:
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = repr(error)
print(json.dumps([failed, sorted(name for name in sys.modules if name.split(".")[0] == "core")]))
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    failed, imported = json.loads(run.stdout)
    assert failed == {}
    assert set(names) <= set(imported)


def test_core_never_names_streamlit_torch_or_vllm() -> None:
    assert {name: named for name, path in CORE.items() if (named := roots(path) & {"streamlit", "torch", "vllm"})} == {}


def test_only_the_pages_and_their_server_import_streamlit() -> None:
    importers = {name for name, path in SOURCES.items() if "streamlit" in roots(path)}
    assert {
        name for name in importers if name.split(".")[0] not in ("app", "pages", "serve", "server", "bench")
    } == set()


def test_only_the_web_client_knows_an_http_library() -> None:
    """So that retries, sizes, redirections, keys and certificates are one rule for all servers."""
    libraries = {"httpx2", "httpcore2", "httpx", "aiohttp", "requests", "http", "urllib3", "openai"}
    importers = {name for name, path in CORE.items() if roots(path) & libraries}
    assert {room_of(name) for name in importers} == {"web"}


def test_core_reads_neither_environment_nor_clock_nor_unseeded_randomness() -> None:
    # A command is a caller: it hands in what the environment says.
    commands = {name for name in CORE if name.endswith("__main__") or name.startswith("core.commands")}
    # Whoever asks a server has to end waiting for it.
    asking = ("core.surrogate", "core.web")
    # It runs in the peers' environment, times their packages, and seeds the generator that one of them draws from.
    asking += ("core.lab.against.peer_script",)
    pure = {name: CORE[name] for name in CORE.keys() - commands if not name.startswith(asking)}
    assert {name: read for name, path in pure.items() if (read := ambient_names(tree(path)))} == {}


def test_no_expression_repeats_a_group_possessively() -> None:
    # Python 3.11.0 to 3.11.4 go on from where such a group failed (CPython’s issue 106052); (?>…) is right in all.
    assert POSSESSIVE.search(r"(?P<decimals>[.][0-9]++)?+") and POSSESSIVE.search("(?:,[0-9]){1,3}+")
    assert not POSSESSIVE.search(r"(?>(?:a|b)*)[)\]]*+\)++")
    expressions = (
        (name, part.value)
        for name, path in SOURCES.items()
        for node in nodes(tree(path))
        if isinstance(node, ast.Call) and dotted(node.func)[:1] == ["re"]
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    assert [(name, text) for name, text in expressions if POSSESSIVE.search(text)] == []


def printing(code: ast.Module) -> set[str]:
    """The calls by which a module writes to a terminal or a log itself."""
    streams = (["sys", "stdout"], ["sys", "stderr"], ["sys", "__stdout__"], ["sys", "__stderr__"])
    calls = (dotted(node.func) for node in nodes(code) if isinstance(node, ast.Call))
    named = {
        ".".join(call) for call in calls if call[:2] in streams or call[-1:] in (["print"], ["pprint"], ["print_exc"])
    }
    given = (dotted(word.value) for node in nodes(code) if isinstance(node, ast.Call) for word in node.keywords)
    return named | {".".join(name) for name in given if name in streams}


def test_only_the_console_prints_so_that_all_that_is_printed_is_printable() -> None:
    assert printing(ast.parse("print(1)")) == {"print"} == printing(ast.parse("f(lambda: print(1))"))
    assert printing(ast.parse("import sys\nsys.stderr.write('x')")) == {"sys.stderr.write"}
    assert printing(ast.parse("import sys\nlogging.basicConfig(stream=sys.stderr)")) == {"sys.stderr"}
    ours = (name for name in SOURCES if name.split(".")[0] in ("core", "neyman", "pages", "server", "serve", "app"))
    assert {name: calls for name in ours if (calls := printing(tree(SOURCES[name])))} == {
        "core.words.console": {"print", "sys.stderr", "sys.stderr.isatty"},
        # The options of the command have a method of this name.
        "core.commands.lab": {"options.print"},
        # Versions, for the process that started it.
        "core.lab.against.peer_script": {"sys.stdout.write"},
        # A number, for the worker that started it.
    }


TAG = re.compile(r"</?[a-z][\w-]*(\s[^<>]*)?/?>", re.IGNORECASE)


def tags_in_strings(code: ast.Module) -> list[str]:
    """The f-strings that write HTML, whose values nothing escapes."""
    parts = (
        "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        for node in nodes(code)
        if isinstance(node, ast.JoinedStr)
    )
    return [text for text in parts if TAG.search(text)]


def test_html_is_written_by_templates() -> None:
    assert tags_in_strings(ast.parse("f'<p class=\"a\">{x}</p>'")) and not tags_in_strings(ast.parse("f'{a} < {b}'"))
    writing = {name for name, path in SOURCES.items() if tags_in_strings(tree(path))}
    # Plotly’s own markup, and drawings for paper. In an expression, a group has a name.
    assert {name for name in writing if not name.startswith("core.figures")} == {"core.readers.model_names"}


def test_every_room_imports_exactly_what_is_drawn() -> None:
    edges: dict[str, set[str]] = {
        room: set() for room in map(room_of, CORE.keys() - {"core"}) if room not in EVERYBODYS
    }
    for module in CORE.keys() - {"core"}:
        room = room_of(module)
        known = {room_of(name) for name in core_imports(module)} - {room, *EVERYBODYS}
        edges.setdefault(room, set()).update(known)
    # What every room may know knows no room.
    assert edges == KNOWS | {room: set() for room in EVERYBODYS & edges.keys()}


def test_only_commands_and_workers_print() -> None:
    printers = {room_of(name) for name in CORE.keys() - {"core"} if "core.words.console" in core_imports(name)}
    assert printers == {"commands", "surrogate"}


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for name, path in SOURCES.items():
        if name.split(".")[0] in ("core", "neyman", "pages", "app", "serve", "server"):
            for node in nodes(tree(path)):
                if isinstance(node, ast.ClassDef):
                    homes.setdefault(node.name, []).append(name)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


# Names that modules of core still share, and modules that still rename what they import: both get only shorter.
SHARED = set(
    [
        "account",
        "argilla",
        "client",
        "comparison",
        "files",
        "intervals",
        "lab",
        "label_studio",
        "labels",
        "outcomes",
        "planning",
        "plans",
        "records",
    ]
)
RENAMING = set(
    [
        "core.commands.lab",
        "core.figures.planning",
        "core.labels.queues.label_studio",
        "core.labels.settlement",
        "core.study.bundle",
        "core.study.plans",
        "core.study.record",
        "core.study.study",
        "pages.lab",
        "pages.label",
        "pages.parts.judge.example",
        "pages.parts.judge.inputs",
        "pages.parts.label.annotate",
        "pages.parts.label.annotator_link",
        "pages.parts.label.desk",
        "pages.parts.label.export",
        "pages.parts.label.intake",
        "pages.parts.label.judgeable",
        "pages.parts.label.kept",
        "pages.parts.plan.decisions",
        "pages.parts.plan.versions",
        "pages.parts.views.verdicts",
    ]
)


def test_no_two_modules_of_core_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for name in CORE:
        *rooms, last = name.split(".")
        # The main module of a package has its name, and commands have those of what they run.
        if last != "__main__" and rooms[-1:] != [last] and rooms != ["core", "commands"]:
            homes.setdefault(last, []).append(name)
    assert {last: names for last, names in homes.items() if len(names) > 1 and last not in SHARED} == {}


def renamed(path: Path) -> set[str]:
    """The names of ours that a module imports under others."""
    ours = {"core", "neyman", "pages", "server"}
    return {
        alias.name
        for node in nodes(tree(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if alias.asname not in (None, alias.name)
        if getattr(node, "level", 0) or (getattr(node, "module", None) or alias.name).split(".")[0] in ours
    }


def test_no_import_renames_its_module() -> None:
    product = {name: path for name, path in SOURCES.items() if name.split(".")[0] not in ("bench", "data")}
    assert {name: found for name, path in product.items() if (found := renamed(path)) and name not in RENAMING} == {}


def face(room: str) -> set[str] | None:
    """The names that a room hands on, None if it is a single module."""
    path = CORE[f"core.{room}"]
    if path.name != "__init__.py":
        return None
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return set(ast.literal_eval(node.value))
    # One that collects nothing has its own names, and what starts an app reads its words and prints as commands do.
    defined = (node for node in tree(path).body if isinstance(node, ast.FunctionDef | ast.Assign))
    names = {getattr(one, "name", None) or ast.unparse(one.targets[0]) for one in defined}
    return {name for name in names if not name.startswith("_")} | {"console", "usage"}


def test_the_rooms_of_core_are_used_through_their_faces() -> None:
    behind = []
    for module in (name for name in SOURCES if name.split(".")[0] in ("app", "pages", "serve", "server", "bench")):
        for name in imports(tree(SOURCES[module])):
            top, *rest = name.split(".")
            if top == "core" and rest and f"core.{rest[0]}" in CORE:
                names = face(rest[0])
                if names is not None and (len(rest) > 2 or not names.issuperset(rest[1:])):
                    behind.append((module, name))
    assert behind == []


def test_errors_are_caught_where_streamlit_would_show_them() -> None:
    """In fragments, and in callbacks that use what is kept: neither runs inside the errors of its page."""
    fragments, bare = set(), []
    for module, path in SOURCES.items():
        if module.split(".")[0] not in ("pages", "app"):
            continue
        named = {node.name: node for node in nodes(tree(path)) if isinstance(node, ast.FunctionDef)}
        for node in nodes(tree(path)):
            if isinstance(node, ast.Attribute) and dotted(node) == ["st", "fragment"]:
                fragments.add(module)
            called = getattr(getattr(node, "value", None), "id", None)
            if isinstance(node, ast.keyword) and node.arg in CALLED_BACK and called in named:
                body = ast.unparse(named[called])
                if re.search(r"\b(archive|store)\(", body) and not re.search(r"in_callback|except .*NeymanError", body):
                    bare.append(f"{module}.{called}")
    assert bare == []
    # Its fragment saves labels, and whatever is wrong stays beside them.
    assert fragments == {"pages.parts.app.frame", "pages.parts.label.unsaved"}


def test_no_step_reaches_back() -> None:
    graphlib.TopologicalSorter(KNOWS).prepare()
    graphlib.TopologicalSorter({name: core_imports(name) for name in CORE}).prepare()


@pytest.mark.parametrize(
    ("code", "ambient"),
    [
        ("import os\nos.environ['A']", {"os.environ"}),
        ("from os import getenv", {"os.getenv"}),
        ("import time\ntime.time()", {"time.time"}),
        ("from time import perf_counter", {"time.perf_counter"}),
        ("import datetime\ndatetime.datetime.now()", {"datetime.datetime.now"}),
        ("from datetime import datetime\ndatetime.now()", {"datetime.now"}),
        ("from datetime import date\ndate.today()", {"date.today"}),
        ("import numpy as np\nnp.random.shuffle([1])", {"np.random.shuffle"}),
        ("from numpy.random import shuffle", {"numpy.random.shuffle"}),
        ("import random", {"random"}),
        ("import numpy as np\nnp.random.default_rng(1)\nx: np.random.Generator", set()),
        ("import os.path\nos.path.join('a')", set()),
    ],
)
def test_ambient_names_are_found(code: str, ambient: set[str]) -> None:
    assert ambient_names(ast.parse(code)) == ambient


def test_imports_are_found_in_every_form() -> None:
    code = "import a.b\nfrom c import d\ndef f():\n    from ..e import g\n    from . import h"
    assert set(imports(ast.parse(code), "core.readers")) == {"a.b", "c.d", "core.e.g", "core.readers.h"}


# Where Streamlit's session is named, and its query parameters: everything else asks `pages.parts.app.session`.
SESSION = {"pages.parts.app.session", "pages.parts.widgets.numbers"}
# What is kept for all sessions: one store, the home, the reader of files, the machine, and two of a job.
CACHES = {
    "pages.parts.app.kept": 1,
    "pages.parts.app.quarantine": 1,
    "pages.parts.app.state": 1,
    "pages.parts.surrogate.form": 1,
    "pages.parts.surrogate.roles": 2,
}


def streamlit_names(name: str, *attributes: str) -> int:
    """How often a module names attributes of Streamlit's."""
    named = (dotted(node) for node in nodes(tree(SOURCES[name])) if isinstance(node, ast.Attribute))
    return sum(name in (["st", one] for one in attributes) for name in named)


def pages_naming(*attributes: str) -> dict[str, int]:
    """The modules of the pages that name attributes of Streamlit's, and how often."""
    modules = (name for name in SOURCES if name.split(".")[0] in ("app", "pages", "server", "serve"))
    return {name: count for name in modules if (count := streamlit_names(name, *attributes))}


def test_an_address_is_read_and_written_in_one_place() -> None:
    assert pages_naming("query_params").keys() == {"pages.parts.app.session"}


def test_what_a_tab_holds_is_named_in_few_places() -> None:
    named = pages_naming("session_state")
    assert named.keys() <= SESSION and sum(named.values()) < 40


def test_few_caches_keep_what_is_computed() -> None:
    assert pages_naming("cache_data", "cache_resource") == CACHES


# What makes numbers out of others, as methods and functions are called.
COMPUTING = {"mean", "fmean", "median", "std", "var", "quantile", "quantiles", "cumsum", "corr", "rank", "nunique"}
COMPUTING |= {"groupby", "agg", "merge", "pivot", "pivot_table"}


def computing(code: ast.AST) -> set[str]:
    """The calls by which code makes numbers out of others, but sums of what it counts itself."""
    calls = [node.func for node in nodes(code) if isinstance(node, ast.Call)]
    methods = {call.attr for call in calls if isinstance(call, ast.Attribute)}
    return (methods & {"sum", *COMPUTING}) | ({call.id for call in calls if isinstance(call, ast.Name)} & COMPUTING)


def test_where_the_app_runs_is_asked_in_few_places() -> None:
    asking = {name for name in SOURCES if "pages.parts.app.premises" in imports(tree(SOURCES[name]))}
    parts = {f"pages.parts.app.{part}" for part in ("frame", "kept", "quarantine", "state")}
    assert asking == {"serve", "pages.parts.pool.upload"} | parts


def test_a_number_and_its_per_cent_sign_stay_on_one_line_of_a_page() -> None:
    """A plain space between them may become the end of a line; `core.words.PER_CENT` has one that does not."""
    broken = [
        f"{name}:{node.lineno}"
        for name, path in SOURCES.items()
        if name.split(".")[0] in ("app", "pages")
        for node in nodes(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\d %|^ %.", node.value)
    ]
    assert broken == []


def test_no_page_computes() -> None:
    """What pages show is computed in core: arrays and distributions are nothing that a page works with."""
    assert computing(ast.parse("x.mean(); y.groupby('a').sum(); sum(z); fmean(z)")) == {
        "mean",
        "groupby",
        "sum",
        "fmean",
    }
    pages = {name: path for name, path in SOURCES.items() if name.split(".")[0] in ("app", "pages")}
    packages = {"numpy", "scipy", "sklearn", "statsmodels", "statistics"}
    assert {name for name, path in pages.items() if roots(path) & packages} == set()
    assert {name: calls for name, path in pages.items() if (calls := computing(tree(path)))} == {}


@pytest.mark.parametrize("path", sorted((ROOT / "bench").glob("*.py")), ids=lambda path: path.stem)
def test_what_benchmarks_take_from_tests_is_there(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            taken = import_module(node.module or "")
            assert [name.name for name in node.names if not hasattr(taken, name.name)] == []
