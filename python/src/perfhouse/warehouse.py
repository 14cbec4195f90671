"""A warehouse: queries, runs, profiles, events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional, Sequence, Union

import numpy as np
import pandas as pd
import psycopg

from perfhouse import program
from perfhouse.columns import joined
from perfhouse.picture import Picture
from perfhouse.profile import Profile, ensemble_of

if TYPE_CHECKING:
    import pyarrow


def connect(conninfo: Optional[str] = None) -> Warehouse:
    """Opens a warehouse: of a connection string or URI, else what `perfhouse conninfo` tells, which starts the private
    server when there is no other."""
    if conninfo is None:
        conninfo = program.run(["conninfo"]).decode().strip()
    return Warehouse(conninfo)


class Warehouse:
    """An open warehouse. Its queries may only read; names of schema perfhouse need no schema."""

    def __init__(self, conninfo: str):
        self.conninfo = conninfo
        self.connection = psycopg.connect(conninfo, autocommit=True)
        self.connection.execute("SET search_path = perfhouse, public")
        self.connection.execute("SET default_transaction_read_only = on")

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sql(
        self, query: str, parameters: Union[Sequence[Any], dict[str, Any], None] = None, to: Literal["pandas", "arrow"] = "pandas"
    ) -> Any:
        """The rows of a query as a DataFrame, or a pyarrow.Table; parameters are %s or %(name)s there."""
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(query.encode(), parameters)
            if cursor.description is None:
                raise ValueError("the query gives no rows")
            names = [column.name for column in cursor.description]
            rows = cursor.fetchall()
        if to == "pandas":
            return pd.DataFrame.from_records(rows, columns=names)
        import pyarrow

        columns = [pyarrow.array([row[i] for row in rows]) for i in range(len(names))]
        return pyarrow.Table.from_arrays(columns, names=names)

    def runs(self, filter: Optional[str] = None, application: Optional[str] = None) -> pd.DataFrame:
        """The runs, newest last, by the conditions of `perfhouse runs --filter`, such as "n_ranks = 64 AND tag = 'good'"."""
        if filter is None and application is None:
            return self._frame("SELECT * FROM run_overview ORDER BY run_id")
        return self._frame("SELECT * FROM chosen_runs(%s::text, %s::text) ORDER BY run_id", (application, filter))

    def profile(self, run: int, metric: Optional[str] = None) -> Profile:
        """The profile of a run, as an expression."""
        if metric is None:
            return Profile(self, f"profile({int(run)})")
        return Profile(self, f"profile({int(run)})").of_metric(run, metric)

    def ensemble(self, filter: Optional[str] = None, application: Optional[str] = None) -> Profile:
        """The profile of many runs: a column a run."""
        return ensemble_of(self, self._chosen(filter, application))

    def thicket(self, filter: Optional[str] = None, application: Optional[str] = None) -> Any:
        """The runs as a Thicket, with what run_overview says of them as metadata."""
        from perfhouse.hatchet import thicket_of

        return thicket_of(self, self._chosen(filter, application))

    def events(
        self, run: int, start: Optional[int] = None, end: Optional[int] = None, locations: Optional[Sequence[int]] = None
    ) -> pd.DataFrame:
        """The events of a trace from start to before end (ns): location, rank, time, kind, region, peer and bytes, by
        location and time. kind and region are categories; peer and bytes are -1 where an event has none."""
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(
                'SELECT location, coalesce(rank, -1), n, "time", kind, region, peer, bytes FROM event_columns'
                " WHERE run_id = %s AND t_last >= coalesce(%s, t_last) AND t_first < coalesce(%s, t_first + 1)"
                " AND (%s::int4[] IS NULL OR location = ANY (%s::int4[])) ORDER BY location, chunk_no",
                (run, start, end, locations, locations),
            )
            chunks = cursor.fetchall()
        if not chunks:
            self._require_trace(run)
        n = np.array([chunk[2] for chunk in chunks], dtype=np.int64)
        frame = pd.DataFrame(
            {
                "location": np.repeat(np.array([chunk[0] for chunk in chunks], dtype=np.int32), n),
                "rank": np.repeat(np.array([chunk[1] for chunk in chunks], dtype=np.int32), n),
                "time": joined([chunk[3] for chunk in chunks], "<i8"),
                "kind": self._categories("SELECT code, kind FROM event_kinds()", joined([c[4] for c in chunks], "u1")),
                "region": self._categories(
                    f"SELECT local_id, name FROM trace_region WHERE run_id = {int(run)}", joined([c[5] for c in chunks], "<i4")
                ),
                "peer": joined([chunk[6] for chunk in chunks], "<i4"),
                "bytes": joined([chunk[7] for chunk in chunks], "<i8"),
            },
            copy=False,
        )
        if start is None and end is None:
            return frame
        keep = np.ones(len(frame), dtype=bool)
        if start is not None:
            keep &= frame["time"].to_numpy() >= start
        if end is not None:
            keep &= frame["time"].to_numpy() < end
        return frame[keep].reset_index(drop=True)

    def picture(self, view: str, query: Union[str, Profile], **options: Any) -> Picture:
        """A picture of a query or profile: `perfhouse render --list` tells what each view draws."""
        text = query if isinstance(query, str) else f"SELECT {query.expression}"
        return Picture(view, text, self.conninfo, options)

    # ---- inside

    def _frame(self, query: str, parameters: Optional[Sequence[Any]] = None) -> pd.DataFrame:
        frame: pd.DataFrame = self.sql(query, parameters)
        return frame

    def _chosen(self, filter: Optional[str], application: Optional[str]) -> pd.DataFrame:
        chosen = self.runs(filter, application)
        if chosen.empty:
            raise LookupError("no run matches")
        return chosen

    def _require_trace(self, run: int) -> None:
        if self._frame("SELECT FROM trace WHERE run_id = %s", (run,)).shape[0] == 0:
            raise LookupError(f"run {run} does not exist or has no trace")

    def _categories(self, query: str, numbers: np.ndarray[Any, Any]) -> pd.Categorical:
        """Numbers by what they mean; several may mean the same, and what means nothing is missing."""
        with self.connection.cursor() as cursor:
            known = cursor.execute(query.encode()).fetchall()
        words: dict[str, int] = {}
        # one more than the last number: that of -1
        places = np.full(max((number for number, _ in known), default=-1) + 2, -1, dtype=np.int32)
        for number, word in sorted(known):
            places[number] = words.setdefault(word, len(words))
        return pd.Categorical.from_codes(places[numbers], categories=pd.Index(list(words), dtype=object))
