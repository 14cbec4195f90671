"""Queries, runs, events, pictures."""

import sys

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
pytest.importorskip("psycopg")

import perfhouse  # noqa: E402


def test_sql_gives_frames(warehouse):
    frame = warehouse.sql("SELECT %s::int AS a, 'x' AS b, NULL::float8 AS c", (3,))
    assert frame.iloc[0].tolist()[:2] == [3, "x"] and pd.isna(frame["c"][0])
    assert warehouse.sql("SELECT 1 AS a WHERE false").columns.tolist() == ["a"]
    with pytest.raises(Exception, match="read-only"):
        warehouse.sql("DELETE FROM run RETURNING run_id")
    with pytest.raises(ValueError, match="polars"):
        warehouse.sql("SELECT 1", to="polars")


def test_times_beyond_python_s(warehouse):
    queries = ["'infinity'::timestamptz", "'-infinity'::timestamp", "'infinity'::date", "'-infinity'::date"]
    beyond = ["'0044-03-15 BC'::date", "'0044-03-15 BC'::timestamp", "'12000-01-01'::timestamptz"]
    for query in queries + beyond:
        frame = warehouse.sql(f"SELECT {query} AS t, '2026-11-29'::date AS d")
        assert pd.isna(frame["t"][0]) and str(frame["d"][0]) == "2026-11-29", query
    pytest.importorskip("pyarrow")
    for query in queries:
        for value in (query, f"v FROM (VALUES ({query}), ('2026-11-29')) s (v)"):
            table = warehouse.sql(f"SELECT {value} AS t" if value is query else f"SELECT {value}", to="arrow")
            assert table.column(0).null_count == 1, query
            assert [str(told)[:10] for told in table.column(0).to_pylist()[1:]] in ([], ["2026-11-29"]), query


def test_arrow_of_arrays(warehouse):
    pytest.importorskip("pyarrow")
    query = "SELECT '{1.5,NULL}'::numeric[] AS n, ARRAY[1, 2] AS i, '{x}'::text[] AS t, NULL::numeric[] AS none"
    assert warehouse.sql(query, to="arrow").to_pydict() == {"n": [[1.5, None]], "i": [[1, 2]], "t": [["x"]], "none": [None]}


def test_parquet_of_the_program(warehouse, tmp_path, monkeypatch):
    """`perfhouse export --format parquet` hands over to this interpreter."""
    parquet = pytest.importorskip("pyarrow.parquet")
    from perfhouse import program

    monkeypatch.setenv("PERFHOUSE_PYTHON", sys.executable)
    program.run(["export", "4", "--table", "events", "--format", "parquet", "-o", str(tmp_path / "e.parquet")])
    told, mine = parquet.read_table(tmp_path / "e.parquet"), warehouse.events(4, to="arrow")
    assert told.column_names == mine.column_names
    for name in told.column_names:
        assert told[name].to_pylist() == mine[name].to_pylist(), name
    assert [path.name for path in tmp_path.iterdir()] == ["e.parquet"]


def test_arrow_of_the_server_s_own_types(warehouse):
    pyarrow = pytest.importorskip("pyarrow")
    table = warehouse.sql("SELECT 1.5::numeric AS n, '{\"a\": 1}'::jsonb AS j, NULL::text AS t, %s AS p -- the end", ("100%",), to="arrow")
    assert table.to_pydict() == {"n": [1.5], "j": ['{"a": 1}'], "t": [None], "p": ["100%"]}
    assert table.schema.types == [pyarrow.float64(), pyarrow.string(), pyarrow.string(), pyarrow.string()]
    with pytest.raises(Exception, match="read-only"):
        warehouse.sql("DELETE FROM run RETURNING run_id", to="arrow")


def test_sql_gives_arrow(warehouse):
    pytest.importorskip("pyarrow")
    table = warehouse.sql("SELECT x, x::text AS t FROM generate_series(1, 3) x", to="arrow")
    assert table.to_pydict() == {"x": [1, 2, 3], "t": ["1", "2", "3"]}


def test_runs_are_chosen(warehouse):
    assert warehouse.runs()["run_id"].tolist()[:4] == [1, 2, 3, 4]
    assert warehouse.runs("n_ranks = 27 AND application = 'lulesh'")["run_id"].tolist() == [3]
    assert warehouse.runs(application="nobody's").empty
    with pytest.raises(LookupError):
        warehouse.thicket("n_ranks = 1000")


def test_it_says_what_it_is(warehouse):
    n = len(warehouse.runs())
    assert repr(warehouse) == f"Warehouse({n} runs of {warehouse.runs()['application'].nunique()} applications)"


def test_events_are_those_of_sql(warehouse):
    events = warehouse.events(4)
    told = warehouse.sql('SELECT location, rank, "time", kind, region, peer, bytes FROM events(4) ORDER BY location, seq')
    assert len(events) == len(told) > 1000
    for column in ("location", "rank", "time", "kind"):
        assert (events[column].to_numpy() == told[column].to_numpy()).all(), column
    assert (events["region"].astype(object).where(events["region"].notna(), None) == told["region"]).where(told["region"].notna(), True).all()
    assert (events["peer"].to_numpy() == told["peer"].fillna(-1).to_numpy()).all()
    has_bytes = told["bytes"].notna().to_numpy()
    assert (events["bytes"].to_numpy()[has_bytes] == told["bytes"].to_numpy()[has_bytes]).all()


def test_events_of_a_window(warehouse):
    whole = warehouse.events(4)
    start, end = int(whole["time"].quantile(0.4)), int(whole["time"].quantile(0.6))
    part = warehouse.events(4, start, end, [2, 5])
    wanted = whole[(whole["time"] >= start) & (whole["time"] < end) & whole["location"].isin([2, 5])]
    assert len(part) == len(wanted) > 0
    assert (part["time"].to_numpy() == wanted["time"].to_numpy()).all()
    assert len(warehouse.events(4, 10**15)) == warehouse.events(4, 10**15, to="arrow").num_rows == 0
    with pytest.raises(LookupError):
        warehouse.events(1)


def test_pictures(warehouse, tmp_path):
    picture = warehouse.picture("line", "SELECT n_ranks, total FROM run_overview WHERE total IS NOT NULL ORDER BY 1", width=600)
    assert picture._repr_svg_().startswith("<?xml") and 'width="600"' in picture._repr_svg_()
    picture.save(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(RuntimeError, match="It draws"):
        warehouse.picture("sankey", "SELECT 1").draw()


def test_tables_become_runs(warehouse, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    table = pd.DataFrame({"callpath": ["main", "main;solve, all"], "rank": [0, 0], "time [s]": [1.5, 0.1]})
    (run,) = warehouse.load(table, application="home-made", title="of a frame")
    rows = warehouse.profile(run).nodes().set_index("path")
    assert rows["exclusive"].to_dict() == {"main": 1.5, "main/solve, all": 0.1}
    assert warehouse.runs("title = 'of a frame'")["application"].tolist() == ["home-made"]
    parquet.write_table(pyarrow.table(table.assign(rank=[0, 1])), tmp_path / "t.parquet")
    assert warehouse.profile(warehouse.load(tmp_path / "t.parquet")[0]).columns()["rank"].tolist() == [0, 1]
    assert warehouse.load(table) == [run]
    with pytest.raises(ValueError, match="callpath"):
        warehouse.load(table.drop(columns="callpath"))
    with pytest.raises(ValueError, match="metric"):
        warehouse.load(table[["callpath", "rank"]])
    with pytest.raises(TypeError, match="int"):
        warehouse.load(3)
    with pytest.raises(RuntimeError, match="nowhere"):
        warehouse.load("/nowhere")


def test_without_the_program(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("PERFHOUSE", raising=False)
    with pytest.raises(perfhouse.ProgramError, match="pip does not bring.*A warehouse that runs elsewhere needs none"):
        perfhouse.connect()
