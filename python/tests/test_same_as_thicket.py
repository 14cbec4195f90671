"""Thickets beside what Thicket reads from the same files, and its statistics of both."""

import json

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
thicket = pytest.importorskip("thicket")

from conftest import ROOT  # noqa: E402

SHARED = ROOT.parent / "shared"
FILES = SHARED / "data" / "peers" / "thicket" / "mpi_scaling_cali"
ANSWERS = SHARED / "oracle" / "thicket" / "mpi_scaling_cali"
METRICS = ("Min time/rank", "Max time/rank", "Avg time/rank", "Total time")


@pytest.fixture(scope="module")
def mine(warehouse):
    if not FILES.is_dir():
        pytest.skip("the files are not beside the project")
    runs = [warehouse.load(str(path), application="scaling")[0] for path in sorted(FILES.glob("*.cali"))]
    assert len(runs) == 5
    # some may have been loaded before, of another application
    return warehouse.thicket(" OR ".join(f"run_id = {run}" for run in runs), metrics="all")


def _values(frame, size_of, suffix="", mean_of=None):
    """By call path, number of ranks and metric. A total is a mean over ranks here, and the sum there."""
    values = {}
    for metric in METRICS:
        for (node, profile), value in frame[metric + suffix].items():
            size = int(size_of[profile])
            path = node if isinstance(node, tuple) else tuple(above.frame["name"] for above in node.path())
            if value == value:
                values[path, size, metric] = value * (size if mean_of == metric else 1)
    return values


def _check(told, found, least):
    assert len(told) >= least and told.keys() == found.keys()
    other = {place: (value, found[place]) for place, value in told.items() if value != pytest.approx(found[place], rel=1e-9, abs=1e-12)}
    assert not other, (len(other), list(other.items())[:3])


def _of_warehouse(mine):
    return _values(mine.dataframe, mine.metadata["n_ranks"], " (inc)", mean_of="Total time")


def test_files(mine):
    pytest.importorskip("caliperreader")
    theirs = thicket.Thicket.from_caliperreader([str(path) for path in sorted(FILES.glob("*.cali"))], disable_tqdm=True)
    _check(_values(theirs.dataframe, theirs.metadata["mpi.world.size"]), _of_warehouse(mine), 45 * 5 * 4)
    assert len(list(theirs.graph.traverse())) == len(list(mine.graph.traverse()))
    # what the files say of their runs
    theirs, told = (side.metadata.set_index("jobsize") for side in (theirs, mine))
    for name in ("mpi", "compiler", "problem_size", "iterations", "figure_of_merit", "elapsed_time", "numhosts", "user", "cluster"):
        for size, value in theirs[name].items():
            assert told.at[size, name] == value or float(told.at[size, name]) == pytest.approx(float(value)), (name, size)


def _recorded(name):
    if not ANSWERS.is_dir():
        pytest.skip("the recorded answers are not beside the project")
    folder = ANSWERS.with_name(ANSWERS.name + name)
    frames = {file: pd.read_csv(folder / f"{file}.csv") for file in ("nodes", "perfdata", "metadata", "statsframe")}
    frames["paths"] = {node: tuple(json.loads(path)) for node, path in zip(frames["nodes"]["id"], frames["nodes"]["path"])}
    return frames


@pytest.mark.parametrize("name, condition, n", [("", None, 5), ("-jobsize_gt_100", lambda run: run["jobsize"] > 100, 3)])
def test_recorded_answers(mine, name, condition, n):
    theirs = _recorded(name)
    chosen = mine if condition is None else mine.filter_metadata(condition)
    assert len(chosen.profile) == n
    rows = theirs["perfdata"].assign(node=theirs["perfdata"]["id"].map(theirs["paths"])).set_index(["node", "profile"])
    size_of = theirs["metadata"].set_index("profile")["mpi.world.size"]
    _check(_values(rows, size_of), _of_warehouse(chosen), 45 * n * 4)


def test_recorded_statistics(mine):
    theirs = _recorded("")
    columns = ["Avg time/rank", "Max time/rank"]
    told = theirs["statsframe"].assign(path=theirs["statsframe"]["id"].map(theirs["paths"])).set_index("path")
    inclusive = [f"{name} (inc)" for name in columns]
    n_checked = 0
    for of, name in {"mean": "mean", "median": "median", "minimum": "min", "maximum": "max", "std": "std", "variance": "var"}.items():
        getattr(thicket.stats, of)(mine, columns=inclusive)
        for node, row in mine.statsframe.dataframe.iterrows():
            path = tuple(above.frame["name"] for above in node.path())
            for column in columns:
                assert row[f"{column} (inc)_{name}"] == pytest.approx(told.at[path, f"{column}_{name}"], rel=1e-9, abs=1e-15), (path, column, name)
                n_checked += 1
    assert n_checked == 45 * 2 * 6
