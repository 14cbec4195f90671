"""GraphFrames beside what Hatchet reads from the same files: every call path, every unit, every metric that both have.

The files lie beside the project; without them, or without Hatchet, all is skipped. Where the two differ on purpose, a case says
why, and compares what is left. What Hatchet once read and made of these files is recorded there, too, and is compared as well: of some
formats it reads less today.
"""

import contextlib
import dataclasses
import io
import json
import os
import pathlib
import re

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
hatchet = pytest.importorskip("hatchet")

from conftest import ROOT  # noqa: E402
from perfhouse.program import ProgramError  # noqa: E402

SHARED = ROOT.parent / "shared"
HATCHET, OWN = "peers/hatchet", "own/profiles"
TIME = ("time", "time", 1)
SPOT = [(f"{name} time/rank", f"{name} time/rank (inc)", 1) for name in ("Min", "Max", "Avg")]
GRAPH = [TIME, ("time (inc)", "time (inclusive)", 1)]
TRACED = [("time.duration.ns", "sum#time.duration.ns", 1e-9), ("region.count", "region.count", 1)]


@dataclasses.dataclass
class Case:
    path: str  # below data
    reader: str  # of Hatchet
    columns: list  # of theirs, of mine, what theirs is multiplied with
    nodes: int  # call paths that must be compared, at the least
    names: str = "plain"  # what makes names alike, see below
    sums: bool = False  # over all units: of one process, or Hatchet does not tell them apart
    more: str = ""  # why there are cells that Hatchet has not


def spot(path, nodes, ranks):
    # aggregated over ranks: totals are means a rank here
    return Case(path, "caliperreader", [*SPOT, ("Total time", "Total time (inc)", 1 / ranks)], nodes)


HISTORY = [
    *((commit, 8) for commit in ("13ef21b", "3e01c40", "46c2a1d", "48a767c", "7d07dc4", "a703528", "cf381af", "e7b7e20")),
    *(("3e01c40", ranks) for ranks in (1, 27)),
]

CASES = [
    spot(f"{HATCHET}/caliper-example-cali/example-profile.cali", 24, 1),
    spot(f"{HATCHET}/caliper-ordered-cali-mpi/230525-151723_1930647_FSY8b8cKSEEi.cali", 26, 1),
    spot(f"{HATCHET}/caliper-ordered-cali/230525-151052_1930517_eWbGeyrlBOPT.cali", 19, 1),
    *(spot(f"peers/thicket/mpi_scaling_cali/{ranks}_cores.cali", 45, ranks) for ranks in (27, 64, 125, 216, 343)),
    Case(
        f"{HATCHET}/caliper-lulesh-cali/lulesh-annotation-profile.cali",
        "caliperreader",
        [TIME, ("count", "count", 1), *((f"{kind}#time.duration",) * 2 + (1,) for kind in ("min", "max", "avg"))],
        19,
    ),
    Case(
        f"{HATCHET}/caliper-sw4-cuda-activity-cali/caliper_cuda_activity_profile.cali",
        "caliperreader",
        [TIME, ("time (gpu)", "gpu time", 1)],
        500,
        names="launches",
        more="activities that were launched outside any region",
    ),
    Case(
        f"{HATCHET}/caliper-sw4-cuda-activity-profile-cali/caliper_cuda_activity_profile_summary_v2.cali",
        "caliperreader",
        [("inclusive#scale#sum#cupti.host.duration", "time (inc)", 1 / 4), ("sum#scale#cupti.activity.duration", "gpu time", 1 / 4)],
        393,
    ),
    *(
        Case(
            f"{HATCHET}/caliper-timeseries-cali/{name}.cali",
            "caliperreader",
            [("sum#time.duration.ns", "sum#time.duration.ns", 1e-9), ("count", "count", 1), ("sum#region.count", "sum#region.count", 1)],
            nodes,
            more="Hatchet keeps no values of loops in a time series",
        )
        for name, nodes in (("timeseries", 17), ("230711-163829_2055495_OV0UMVFsW6yp", 2))
    ),
    *(Case(f"{OWN}/caliper/lulesh-8.event-trace.{rank}.cali", "caliperreader", TRACED, 35, sums=True) for rank in range(8)),
    Case(f"{OWN}/caliper/lulesh-8.hatchet-region-profile.cali", "caliperreader", [TIME], 35),
    Case(f"{OWN}/caliper/lulesh-8.hatchet-region-profile.json", "caliper", [TIME], 35),
    *(
        Case(f"{OWN}/lulesh-history/lulesh-{commit}-n{ranks}-{repeat}.cali", "caliperreader", [TIME], 41 if ranks == 1 else 57)
        for commit, ranks in HISTORY
        for repeat in (1, 2, 3)
    ),
    Case(
        f"{OWN}/caliper/lulesh-8.spot.cali",
        "caliperreader",
        [
            *SPOT,
            *((f"{name} time/rank (exc)", f"{name} time/rank", 1) for name in ("Min", "Max", "Avg")),
            ("Total time", "Total time (inc)", 1 / 8),
            *((f"Calls/rank ({kind})", f"Calls/rank ({kind})", 1) for kind in ("min", "avg", "max")),
            ("Calls (total)", "Calls (total)", 1 / 8),
        ],
        34,
        more="Hatchet drops what nobody called",
    ),
    Case(f"{HATCHET}/hpctoolkit-cpi-database", "hpctoolkit", [("time (inc)", "CPUTIME (usec) (inc)", 1e-6)], 28, names="procedures"),
    Case(f"{HATCHET}/hpctoolkit-allgather-database", "hpctoolkit", [("time (inc)", "CPUTIME (usec) (inc)", 1e-6)], 1161, names="procedures"),
    Case(f"{HATCHET}/tau-cpi-mpi", "tau", [("time", "time", 1e-6), ("time (inc)", "time (inc)", 1e-6), ("Calls", "calls", 1), ("Subrs", "subrs", 1)], 12),
    Case(
        f"{OWN}/tau/halo2d-nb-9-callpath",
        "tau",
        [("time", "time", 1e-6), ("time (inc)", "time (inc)", 1e-6), ("Calls", "calls", 1), ("Subrs", "subrs", 1)],
        25,
    ),
    Case(
        f"{OWN}/tau/halo2d-nb-9",
        "tau",
        [("time", "time", 1e-6), ("Calls", "calls", 1)],
        1,
        more="Hatchet reads only the program of a profile without call paths",
    ),
    Case(f"{HATCHET}/pyinstrument-hatchet-json/pyinstrument-hatchet-profile.json", "pyinstrument", [TIME, ("time (inc)", "time (inc)", 1)], 68),
    Case(
        f"{HATCHET}/timemory/wall.tree.json",
        "timemory",
        [("sum.wall_clock", "wall_clock", 1), ("sum.wall_clock (inc)", "wall_clock (inc)", 1), ("count", "laps", 1)],
        14,
        sums=True,
    ),
    *(
        Case(f"{path}", "hpctoolkit_latest", [("time (inc)", f"{metric} (inc)", 1)], 5, names="scopes", sums=True, more="other threads than the main one")
        for path, metric in (
            *((f"peers/hpctoolkit-v4/{name}", "cycles") for name in ("d.foo", "d.x", "inline", "loop-fork-cycles", "vectorAdd")),
            ("peers/hpctoolkit-v4/lulesh-mpi-openmp", "CPUTIME (sec)"),
            ("peers/pipit/ping-pong-hpctoolkit", "CPUTIME (sec)"),
        )
    ),
    *(
        Case(path, reader, columns, nodes, names="functions", sums=True, more="functions of one name and file, whose inclusive times overlap")
        for path, reader, columns, nodes in (
            (f"{HATCHET}/cprofile-hatchet-pstats/cprofile-cycle.pstats", "cprofile", [*GRAPH, ("nativecalls", "calls", 1)], 9),
            (f"{OWN}/cprofile/demo.pstats", "cprofile", [*GRAPH, ("nativecalls", "calls", 1)], 60),
            (f"{HATCHET}/gprof2dot-cpi/callgrind.dot.64042.0.1", "gprof_dot", GRAPH, 100),
        )
    ),
]


# ---- names


def _plain(node):
    return node.frame.get("name")


def _procedure(node):
    """HPCToolkit 3: without the line of the call; statements of a procedure are one, because Hatchet gives them the file of
    whatever procedure it met last."""
    if node.frame.get("type") == "statement":
        return "<statement>"
    if node.frame.get("type") == "loop" and node.frame.attrs.get("line") is not None:
        return f"Loop@{os.path.basename(str(node.frame['file']))}:{node.frame['line']}"
    return re.sub(r"^\d+:", "", node.frame.get("name"))


def _path(node, names, place):
    if names == "scopes":
        return _scopes(node)
    if names == "sums":
        return ("all",)
    if names == "functions":
        # callers make a graph there, and a tree here
        return (_plain(node), place)
    return tuple((_procedure if names == "procedures" else _plain)(above) for above in node.path())


def _cut(name):
    for mark in (" [", ".", "@", "(", "<"):
        if not name.startswith(mark):
            name = name.split(mark)[0]
    return name


def _scopes(node):
    """HPCToolkit 4: Hatchet has lines between functions, cuts names short and leaves libraries out; lines are not compared."""
    names = []
    for above in node.path():
        kind, name = above.frame.get("type"), above.frame.get("name")
        if kind == "function" and above.parents or kind == "function" and name.startswith("function: "):
            names.append(_cut(name.removeprefix("function: ")))
        elif kind == "instruction":  # of a library without symbols, which is a function here
            names.append(_cut(os.path.basename(name)))
        elif kind == "loop":
            names.append(os.path.basename(name.split(" ", 1)[1] if name.startswith("loop ") else name.removeprefix("Loop@")))
    return tuple(names) if node.frame.get("type") in ("function", "loop") else None


def _files(data):
    if "file" not in data.columns:
        return [None] * len(data)
    return [file if str(file)[:1] == "/" else None for file in data["file"]]


def _cells(frame, column, case):
    """Sums by call path and the rank, thread, … that tell rows apart; what is not known is left out."""
    data = frame.dataframe
    if "present" in data.columns:
        data = data[data["present"]]
    axes = [name for name in data.index.names if name != "node" and not case.sums and data.index.get_level_values(name).nunique() > 1]
    places = data.index.to_frame(index=False)
    files = dict(zip(places["node"], _files(data)))
    paths = {node: _path(node, case.names, file) for node, file in files.items()}
    # that of a function is at its first place, and what its other callers have of it is a part
    whole = column == "time (inclusive)"
    cells = {}
    for node, value, *at in zip(places["node"], data[column].astype(float), *(places[axis].astype(int) for axis in axes)):
        if not pd.isna(value) and paths[node]:
            place = (paths[node], *at)
            cells[place] = max(cells.get(place, 0), value) if whole else cells.get(place, 0) + value
    return cells


def _at_launches(cells, told):
    """Of what devices did is the cost that of the call that launched it: Hatchet has no nodes of kernels and copies."""
    known = {place[0] for place in told}
    moved = {}
    for (path, *at), value in cells.items():
        while path and path not in known:
            path = path[:-1]
        moved[path, *at] = moved.get((path, *at), 0) + value
    return moved


def _read(reader, path):
    frame = getattr(hatchet.GraphFrame, f"from_{reader}")(path.read_text() if reader == "json" else str(path))
    for node in list(frame.graph.traverse()):
        for child in node.children:
            if not child.parents:  # that reader notes children alone, of which paths are not made
                child.add_parent(node)
    return frame


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.split("/", 2)[-1])
def test_file(warehouse, case, record_property):
    path = SHARED / "data" / case.path
    if not path.exists():
        pytest.skip("the files are not beside the project")
    try:
        theirs = _read(case.reader, path)
    except ImportError as why:  # of some readers
        pytest.skip(f"Hatchet cannot read it here: {why}")
    run = warehouse.load(str(path), origin="as Hatchet")[0]
    mine = warehouse.profile(run, metrics="all").to_hatchet()
    n_equal, paths = 0, set()
    for their_column, my_column, scale in case.columns:
        told, found = _cells(theirs, their_column, case), _cells(mine, my_column, case)
        if case.names == "launches":
            found = _at_launches(found, told)
        # Hatchet fills what a rank has not by zeros
        missing = [place for place, value in told.items() if place not in found and value != 0]
        assert not missing, (their_column, len(missing), missing[:3])
        if my_column == "time (inclusive)":
            # two functions of one name and file are one here, and their inclusive times overlap
            nodes = [_path(node, case.names, file) for node, file in zip(theirs.dataframe.index, _files(theirs.dataframe))]
            told = {place: value for place, value in told.items() if nodes.count(place[0]) == 1}
        other = [(place, value * scale, found[place]) for place, value in told.items() if place in found and not _close(value * scale, found[place])]
        assert not other, (their_column, len(other), other[:3])
        more = [place for place, value in found.items() if place not in told and value != 0]
        assert case.more or not more, (my_column, len(more), more[:3])
        n_equal += len(set(told) & set(found))
        paths |= {place[0] for place in set(told) & set(found)}
    assert len(paths) >= case.nodes, len(paths)
    record_property("compared", f"{case.path}: {len(paths)} call paths, {len(case.columns)} metrics, {n_equal} values")
    if os.environ.get("PERFHOUSE_TEST_VERBOSE"):
        print(f"{case.path}: {len(paths)} call paths, {len(case.columns)} metrics, {n_equal} values equal. {case.more}")


def _close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-6)


# ---- what is recorded


RECORDED = [
    # name, file below data, columns, names
    ("caliper-lulesh-json", f"{HATCHET}/caliper-lulesh-json", [("time", "time", 1e-6), ("time (inc)", "time (inc)", 1e-6)], "plain"),
    # lines and functions are in one tree there, in which most have several parents: only sums by rank can be compared
    ("caliper-cpi-json", f"{HATCHET}/caliper-cpi-json", [("time", "time", 1e-6)], "sums"),
    ("caliper-lulesh-cali", f"{HATCHET}/caliper-lulesh-cali", [TIME, ("count", "count", 1)], "plain"),
    ("caliper-ordered-cali", f"{HATCHET}/caliper-ordered-cali", [*SPOT, ("Total time", "Total time (inc)", 1)], "plain"),
    ("caliper-ordered-cali-mpi", f"{HATCHET}/caliper-ordered-cali-mpi", [*SPOT, ("Total time", "Total time (inc)", 1)], "plain"),
    # one row a node of a time series: only the call paths can be compared
    ("caliper-timeseries", f"{HATCHET}/caliper-timeseries-cali/timeseries.cali", [], "plain"),
    ("hpctoolkit-cpi", f"{HATCHET}/hpctoolkit-cpi-database", [("time (inc)", "CPUTIME (usec) (inc)", 1e-6)], "procedures"),
    ("hpctoolkit-allgather", f"{HATCHET}/hpctoolkit-allgather-database", [("time (inc)", "CPUTIME (usec) (inc)", 1e-6)], "procedures"),
    ("tau-cpi-mpi", f"{HATCHET}/tau-cpi-mpi", [("time", "time", 1e-6), ("time (inc)", "time (inc)", 1e-6), ("Calls", "calls", 1)], "plain"),
    ("json-literal", f"{HATCHET}/json", [TIME, ("time (inc)", "time (inc)", 1)], "plain"),
]


# An ensemble of Thicket, of which Hatchet takes the call tree: not a profile, and told so.
REFUSED = {"peers/thicket/example-json/user_ensemble.json"}


def _candidates():
    """What could be read, with the readers of Hatchet that its name or its neighbours suggest."""
    by_name = {".cali": ["caliperreader"], ".json": ["caliper", "pyinstrument", "timemory", "json"], ".pstats": ["cprofile"], ".1": ["gprof_dot"]}
    by_content = {"experiment.xml": "hpctoolkit", "meta.db": "hpctoolkit_latest", "profile.0.0.0": "tau"}
    for part in ("own/profiles", "peers"):
        for folder, _, files in os.walk(SHARED / "data" / part):
            inside = pathlib.Path(folder).relative_to(SHARED / "data")
            yield from ((inside, [reader]) for name, reader in by_content.items() if name in files)
            yield from ((inside / name, by_name[ending]) for name in files if (ending := os.path.splitext(name)[1]) in by_name)


def test_every_file_is_compared():
    """Whatever Hatchet reads of all files stands above, or is of the recorded answers: nothing is left out."""
    if not (SHARED / "data" / "peers").is_dir():
        pytest.skip("the files are not beside the project")
    compared = {case.path for case in CASES} | {entry[1] for entry in RECORDED} | REFUSED
    left = [(str(path), readers) for path, readers in _candidates() if not {str(path), str(path.parent)} & compared]
    read = []
    for path, readers in left:
        for reader in readers:
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                read.append((path, reader, len(_read(reader, SHARED / "data" / path).dataframe)))
    assert not read
    assert len(left) < len(compared)


@pytest.mark.parametrize("path", sorted(REFUSED))
def test_refused(warehouse, path):
    if not (SHARED / "data" / path).exists():
        pytest.skip("the files are not beside the project")
    with pytest.raises(ProgramError, match="an ensemble of Thicket, not one profile"):
        warehouse.load(str(SHARED / "data" / path))


class Recorded:
    """The rows of a folder of answers, by call path."""

    def __init__(self, name):
        self.nodes = pd.read_csv(SHARED / "oracle" / "hatchet" / name / "nodes.csv").set_index("id")
        self.rows = pd.read_csv(SHARED / "oracle" / "hatchet" / name / "metrics.csv")

    def path(self, node, names):
        path = json.loads(self.nodes.at[node, "path"])
        if names == "sums":
            return ("all",)
        if names == "procedures":
            path = [re.sub(r"^\d+:", "", name) for name in path]
            if self.nodes.at[node, "type"] == "statement":
                path[-1] = "<statement>"
        return tuple(path)

    def cells(self, column, names):
        axes = [axis for axis in ("rank", "thread") if axis in self.rows.columns]
        cells = {}
        for node, value, *at in zip(self.rows["id"], self.rows[column], *(self.rows[axis] for axis in axes)):
            if value == value:
                place = (self.path(node, names), *map(int, at))
                cells[place] = cells.get(place, 0) + value
        return cells


def _recorded(name):
    if not (SHARED / "oracle" / "hatchet" / name).is_dir() or not (SHARED / "data" / "peers").is_dir():
        pytest.skip("the recorded answers are not beside the project")
    return Recorded(name)


def _compare(told, found, scale, what):
    """Every value that is told; what is found beyond must be nothing."""
    assert told
    missing = [place for place, value in told.items() if place not in found and value != 0]
    other = [(place, value * scale, found[place]) for place, value in told.items() if place in found and not _close(value * scale, found[place])]
    more = [place for place, value in found.items() if place not in told and value != 0]
    assert not missing and not other and not more, (what, len(missing), missing[:3], len(other), other[:3], len(more), more[:3])
    if os.environ.get("PERFHOUSE_TEST_VERBOSE"):
        print(f"{what}: {len({place[0] for place in told})} call paths, {len(told)} values equal")


@pytest.mark.parametrize("name, path, columns, names", RECORDED, ids=[entry[0] for entry in RECORDED])
def test_recorded_answers(warehouse, name, path, columns, names):
    theirs = _recorded(name)
    run = warehouse.load(str(SHARED / "data" / path), origin="as Hatchet")[0]
    mine = warehouse.profile(run, metrics="all").to_hatchet()
    if names != "sums":
        assert {_path(node, names, None) for node in mine.graph.traverse()} == {theirs.path(node, names) for node in theirs.nodes.index}
    for their_column, my_column, scale in columns:
        case = Case(path, "", [], 0, names=names)
        _compare(theirs.cells(their_column, names), _cells(mine, my_column, case), scale, f"{name} {their_column}")


def _literal(warehouse, name):
    from perfhouse.literal import literal
    from perfhouse.profile import Profile

    trees = json.loads((SHARED / "oracle" / "supergraph" / "literals.json").read_text())[name]
    return Profile(warehouse, f"hatchet_literal({literal(json.dumps(trees))}::jsonb)")


@pytest.mark.parametrize("name", ["A", "B", "table1"])
def test_recorded_literals(warehouse, name):
    theirs, case = _recorded(f"lit-{name}"), Case("", "", [], 0)
    mine = _literal(warehouse, name).to_hatchet()
    for column in ("time", "time (inc)"):
        _compare(theirs.cells(column, "plain"), _cells(mine, column, case), 1, f"lit-{name} {column}")


@pytest.mark.parametrize("name, operation", [("add", "__add__"), ("sub", "__sub__"), ("div", "__truediv__")])
def test_recorded_operations(warehouse, name, operation):
    """Of two GraphFrames; what only one of them has, Hatchet takes from the left one or calls unknown, whatever the operation."""
    theirs, case = _recorded(f"pair-lit-A-B--{name}"), Case("", "", [], 0)
    made = getattr(_literal(warehouse, "A"), operation)(_literal(warehouse, "B")).to_hatchet()
    for column in ("time", "time (inc)"):
        told, found = theirs.cells(column, "plain"), _cells(made, column, case)
        both = told.keys() & found.keys()
        assert len(both) >= 3
        _compare(*({place: side[place] for place in both} for side in (told, found)), 1, f"{name} {column}")


def test_recorded_difference_of_runs(warehouse):
    theirs, case = _recorded("pair-mpi-27-64--sub"), Case("", "", [], 0)
    folder = SHARED / "data" / "peers" / "thicket" / "mpi_scaling_cali"
    few, many = (warehouse.load(str(folder / f"{ranks}_cores.cali"), origin="as Hatchet")[0] for ranks in (27, 64))
    made = warehouse.profile(few, metrics="all") - warehouse.profile(many, metrics="all")
    for column in ("Avg time/rank", "Max time/rank", "Min time/rank"):
        _compare(theirs.cells(column, "plain"), _cells(made.to_hatchet(), f"{column} (inc)", case), 1, column)


@pytest.mark.parametrize(
    "name, database, query",
    [
        ("filter-1pct-squash-cpi", "hpctoolkit-cpi-database", "[share > 0.01]"),
        ("query-mpi-cpi", "hpctoolkit-cpi-database", "* . [name =~ /^PMPI_/]"),
        # Hatchet's pattern does not find "95:PMPI_Barrier", whose name begins with a line
        ("query-mpi-allgather", "hpctoolkit-allgather-database", "* . [name =~ /^PMPI_(Init|Finalize)/]"),
    ],
)
def test_recorded_selections(warehouse, name, database, query):
    theirs = _recorded(name)
    run = warehouse.load(str(SHARED / "data" / HATCHET / database), origin="as Hatchet")[0]
    made = warehouse.profile(run).squash(query).to_hatchet()
    assert {_path(node, "procedures", None) for node in made.graph.traverse()} == {theirs.path(node, "procedures") for node in theirs.nodes.index}
    # its rows are means over ranks
    units = len(warehouse.profile(run).columns())
    case = Case("", "", [], 0, names="procedures", sums=True)
    mine = _cells(made, made.inc_metrics[0], case)
    _compare(theirs.cells("time (inc)", "procedures"), {place: value / units for place, value in mine.items()}, 1e-6, name)
