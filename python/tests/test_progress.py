"""Progress is told of what takes long, and nobody sees it who did not ask."""

import sys

import pytest

pytest.importorskip("numpy")
pytest.importorskip("psycopg")


def _check(told, total):
    assert told and told[-1] == (total, total)
    assert all(before[0] <= after[0] for before, after in zip(told, told[1:]))


def test_events_and_rows(warehouse):
    told = []
    n = len(warehouse.events(4, progress=lambda *at: told.append(at)))
    _check(told, n)
    told.clear()
    part = warehouse.events(4, locations=[1], to="arrow", progress=lambda *at: told.append(at))
    assert told[-1] == (part.num_rows, None)  # nobody counted them before
    told.clear()
    warehouse.sql("SELECT generate_series(1, 1000) AS n", to="arrow", progress=lambda *at: told.append(at))
    assert told[-1] == (1000, None)


def test_frames_by_metric(warehouse):
    pytest.importorskip("thicket")
    told = []
    warehouse.profile(1).to_hatchet(progress=lambda *at: told.append(at))
    _check(told, len(warehouse.profile(1).metrics()))
    told.clear()
    warehouse.thicket("run_id IN (1, 2)", progress=lambda *at: told.append(at))
    _check(told, len(warehouse.ensemble("run_id IN (1, 2)").metrics()))


def test_loads_by_bytes(warehouse, tmp_path):
    told = []
    (tmp_path / "t.csv").write_text("callpath,time [s]\nwatched,1\n")
    (run,) = warehouse.load(tmp_path / "t.csv", progress=lambda *at: told.append(at), application="watched")
    assert run > 0 and told and all(0 <= done <= total and total > 0 for done, total in told)


def test_who_is_told_may_stop_it(warehouse, tmp_path):
    def stop(*_):
        raise KeyboardInterrupt

    (tmp_path / "t.csv").write_text("callpath,time [s]\nnever stored,1\n")
    with pytest.raises(KeyboardInterrupt):
        warehouse.load(tmp_path / "t.csv", progress=stop, application="stopped")
    assert warehouse.load(tmp_path / "t.csv", application="stopped")


def test_scripts_are_quiet(warehouse, capfd):
    warehouse.events(4)
    assert capfd.readouterr() == ("", "")


def test_a_line_of_text(monkeypatch, capsys):
    from perfhouse import progress

    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(progress, "_AGAIN", 0)
    with progress.Progress("fetching", "events", 2000, True) as shown:
        shown.step(1000)
        shown.step(1000)
    assert capsys.readouterr().err == "\rfetching: 1,000 events (50 %)\rfetching: 2,000 events (100 %)\r" + " " * 30 + "\r"


@pytest.mark.parametrize("seconds, shown", [(0, True), (60, False)])
def test_notebooks_show_what_takes_long(monkeypatch, capsys, seconds, shown):
    ipython = pytest.importorskip("IPython")
    from perfhouse import progress

    monkeypatch.setattr(ipython, "get_ipython", lambda: type("ZMQInteractiveShell", (), {})())
    monkeypatch.setattr(progress, "find_spec", lambda _: None)
    monkeypatch.setattr(progress, "_AFTER", seconds)
    with progress.Progress("fetching", "events", 2000) as task:
        task.step(1000)
    assert ("fetching" in capsys.readouterr().err) == shown


def test_bars_of_tqdm(capsys):
    pytest.importorskip("tqdm")
    from perfhouse import progress

    with progress.Progress("fetching", "events", 2000, True) as shown:
        shown.step(2000)
    assert "fetching" in capsys.readouterr().err
