"""Expressions: what they say, and that their rows are those of SQL."""

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
pytest.importorskip("psycopg")


def test_literals():
    from perfhouse.literal import literal

    assert literal("it's") == "'it''s'"
    assert literal("a\\b'c") == "E'a\\\\b''c'"
    assert literal([1, None, True, 0.5]) == "ARRAY[1, NULL, true, 0.5]"
    assert literal(float("nan")) == "'nan'::float8"
    with pytest.raises(TypeError):
        literal(object())
    with pytest.raises(ValueError):
        literal("a\0")


def test_operators_become_sql(warehouse):
    p, q = warehouse.profile(1), warehouse.profile(2)
    change = ((q - p) / 2).filter(0.01)
    assert change.expression == "filter(((profile(2) - profile(1)) / 2.0::float8), 0.01)"
    rows = change.nodes()
    told = warehouse.sql("SELECT * FROM nodes(filter((profile(2) - profile(1)) / 2.0::float8, 0.01))")
    pd.testing.assert_frame_equal(rows, told)
    assert p.flat("module").equals(warehouse.sql("SELECT * FROM flat(profile(1), 'module')"))
    assert "main" in p.tree(max_depth=1)
    with pytest.raises(ValueError):
        p.apply("filter(p); DROP")


def test_numbers_and_others_as_operands(warehouse):
    p = warehouse.profile(1)
    assert (2 * p).nodes().equals((p * 2).nodes())
    with pytest.raises(TypeError, match="not a str"):
        p + "x"
    with pytest.raises(TypeError, match="not a int"):
        p - 1


def test_hostile_words_stay_words(warehouse):
    with pytest.raises(Exception, match="metric"):
        warehouse.profile(1, "%s'; SELECT 1 --").nodes()
    assert warehouse.profile(1).rows("matching_nodes", '"100%"').empty


def test_values_are_those_of_sql(warehouse):
    values = warehouse.profile(3).values()
    told = warehouse.sql("SELECT node, location, inclusive, exclusive FROM column_values(profile(3)) WHERE present")
    pd.testing.assert_frame_equal(values, told, check_dtype=False)


def test_supergraphs(warehouse):
    graph = (warehouse.profile(2) - warehouse.profile(1)).filter(0.001).supergraph("function")
    assert "MPI_Waitall" in graph.supernodes()["node"].tolist()
    assert "Super graph" in graph._repr_svg_()
    assert "Flame graph" in warehouse.profile(1)._repr_svg_()


def test_hatchet(warehouse):
    pytest.importorskip("hatchet")
    frame = warehouse.profile(1).to_hatchet()
    assert frame.dataframe.index.names == ["node", "rank"]
    told = warehouse.sql("SELECT n.name, sum(v.exclusive) AS cost FROM nodes(profile(1)) n JOIN column_values(profile(1)) v USING (node) GROUP BY 1")
    mine = frame.dataframe.groupby("name")["time"].sum()
    for name, cost in zip(told["name"], told["cost"]):
        assert mine[name] == pytest.approx(cost, rel=1e-12), name
    nodes = warehouse.profile(1).nodes()
    assert len(list(frame.graph.traverse())) == len(nodes)
    # Hatchet itself works on it: own costs add up to inclusive ones
    frame.drop_index_levels(np.sum)
    before = frame.dataframe["time (inc)"].copy()
    frame.update_inclusive_columns()
    assert np.allclose(frame.dataframe["time (inc)"], before, rtol=1e-6, atol=1e-9)


def _cells(column):
    """Sums by call path and what else the index has: Hatchet's reader gives some call paths several nodes."""
    cells = {}
    for (node, *others), value in column.items():
        if value == value:
            place = (tuple(above.frame["name"] for above in node.path()), *map(int, others))
            cells[place] = cells.get(place, 0) + value
    return cells


def test_hatchet_reads_the_same_from_the_file(warehouse):
    """Against Hatchet's own reader of the very files: every cell, to the last bit."""
    hatchet = pytest.importorskip("hatchet")
    from conftest import DATA

    for run, name in (1, "3e01c40-n8-1"), (2, "46c2a1d-n8-1"), (3, "3e01c40-n27-1"):
        try:
            theirs = hatchet.GraphFrame.from_caliperreader(str(DATA / "lulesh-history" / f"lulesh-{name}.cali"))
        except ImportError as why:  # its reader is a package of its own
            pytest.skip(f"Hatchet cannot read it here: {why}")
        cells = [_cells(frame.dataframe["time"]) for frame in (warehouse.profile(run).to_hatchet(), theirs)]
        assert len(cells[0]) > 400 and set(cells[0]) <= set(cells[1])
        # Hatchet gives cells that are not in the file a 0
        assert all(cells[0].get(cell, 0) == value for cell, value in cells[1].items()), name


def test_thicket_reads_the_same_from_the_files(warehouse):
    """Against a Thicket of what Hatchet reads; Thicket's own way there refuses profiles with ranks."""
    hatchet = pytest.importorskip("hatchet")
    thicket = pytest.importorskip("thicket")
    from conftest import DATA

    paths = [str(DATA / "lulesh-history" / f"lulesh-3e01c40-n1-{repeat}.cali") for repeat in (1, 2, 3)]
    made = []
    for path in paths:
        try:
            frame = hatchet.GraphFrame.from_caliperreader(path)
        except ImportError as why:
            pytest.skip(f"Hatchet cannot read it here: {why}")
        # one rank; of a node with two rows, as its reader gives main, a mean would be the half
        frame.drop_index_levels(np.sum)
        frame.dataframe = frame.dataframe[["time", "name"]]
        made.append(thicket.Thicket.thicketize_graphframe(frame, path))
        made[-1].metadata = pd.DataFrame({"path": [path]}, index=pd.Index(made[-1].profile, name="profile"))
    theirs = thicket.Thicket.concat_thickets(made, axis="index", disable_tqdm=True)
    runs = [warehouse.load(path, application="alone")[0] for path in paths]
    mine = warehouse.thicket("application = 'alone'")
    assert mine.profile == runs and len(theirs.profile) == 3
    place = {path: profile for profile, path in theirs.metadata["path"].items()}
    for run, path in zip(runs, paths):
        cells = [
            {path: value for (path, at), value in _cells(frame.dataframe["time"]).items() if at == which}
            for frame, which in ((mine, run), (theirs, place[path]))
        ]
        assert len(cells[0]) > 30 and set(cells[0]) <= set(cells[1])
        assert all(cells[0].get(cell, 0) == pytest.approx(value, rel=1e-12) for cell, value in cells[1].items()), run


def test_thicket(warehouse):
    pytest.importorskip("thicket")
    thicket = warehouse.thicket("n_ranks = 8 AND NOT format = 'otf2'")
    assert thicket.dataframe.index.names == ["node", "profile"]
    assert thicket.metadata.loc[1, "n_ranks"] == 8
    told = warehouse.sql("SELECT name, sum(exclusive) AS cost FROM nodes(profile(2)) GROUP BY 1").set_index("name")["cost"]
    mine = thicket.dataframe.xs(2, level="profile").groupby("name")["time"].sum()
    for name in told.index:
        assert mine[name] == pytest.approx(told[name], rel=1e-9, abs=1e-15), name
    assert thicket.filter_metadata(lambda row: row["run_id"] == 1).profile == [1]


def _same(warehouse, a, b):
    """Whether two runs have the same call paths and costs, to the last bit."""
    rows = warehouse.sql(
        "SELECT count(*) FILTER (WHERE a.exclusive IS DISTINCT FROM b.exclusive OR a.inclusive IS DISTINCT FROM b.inclusive"
        " OR a.kind IS DISTINCT FROM b.kind) AS others, count(*) AS n FROM nodes(profile(%s)) a FULL JOIN nodes(profile(%s)) b USING (path)",
        (a, b),
    )
    return rows["n"][0] > 20 and rows["others"][0] == 0


def test_functions_of_hatchet_work_on_it(warehouse):
    """They ask for every node on the rank that they are told; MPI_Irecv is not on all."""
    pytest.importorskip("hatchet")
    frame = warehouse.profile(1).to_hatchet()
    assert len(frame.dataframe) == 8 * len(list(frame.graph.traverse())) and not frame.dataframe["present"].all()
    sparse = warehouse.profile(1).to_hatchet(fill=False).dataframe
    pd.testing.assert_frame_equal(sparse, frame.dataframe[frame.dataframe["present"]])
    assert not frame.dataframe.loc[~frame.dataframe["present"], ["time", "time (inc)"]].any(axis=None)
    for rank in range(8):
        assert "MPI_Irecv" in frame.tree(rank=rank) and frame.to_flamegraph(rank=rank) and frame.to_literal(rank=rank)
    assert not (frame.deepcopy() - frame.deepcopy()).dataframe["time"].any()
    squashed = frame.filter(lambda row: row["time"] > 0)
    assert squashed.dataframe["time"].sum() == pytest.approx(frame.dataframe["time"].sum())


def test_graphframes_come_back(warehouse):
    pytest.importorskip("hatchet")
    mine = warehouse.profile(3).to_hatchet()
    (run,) = warehouse.load(mine, application="back")
    assert _same(warehouse, 3, run)
    theirs = warehouse.profile(run).to_hatchet().dataframe
    pd.testing.assert_frame_equal(
        theirs[["name", "time", "time (inc)"]].reset_index(drop=True), mine.dataframe[["name", "time", "time (inc)"]].reset_index(drop=True), check_exact=True
    )
    assert warehouse.profile(run).metrics().equals(warehouse.profile(3).metrics())


def test_thickets_come_back(warehouse):
    pytest.importorskip("thicket")
    runs = warehouse.load(warehouse.thicket("run_id <= 3"), origin="a thicket")
    assert len(runs) == 3 and all(_same(warehouse, before, after) for before, after in zip((1, 2, 3), runs))
    again = warehouse.runs("meta.origin = 'a thicket'")
    assert again["application"].tolist() == ["lulesh"] * 3 and again["title"].tolist() == warehouse.runs("run_id <= 3")["title"].tolist()


def test_back_in_one_word(warehouse):
    pytest.importorskip("hatchet")
    import perfhouse

    (run,) = perfhouse.to_perfhouse(warehouse.profile(1).to_hatchet(), application="in one word")
    assert warehouse.runs(f"run_id = {run}")["application"].tolist() == ["in one word"]
    assert warehouse.profile(run).nodes()["inclusive"].tolist() == warehouse.profile(1).nodes()["inclusive"].tolist()


@pytest.mark.parametrize("package, ask", [("hatchet", lambda w: w.profile(1).to_hatchet()), ("thicket", lambda w: w.thicket())])
def test_what_is_not_installed(warehouse, monkeypatch, package, ask):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install llnl-{package}, or ./python\[thicket\]"):
        ask(warehouse)
