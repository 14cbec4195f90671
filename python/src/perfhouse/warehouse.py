"""A warehouse: queries, runs, profiles, events."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union

import pandas as pd
import psycopg

from perfhouse import program
from perfhouse.columns import Columns
from perfhouse.events import Window, events_frame, events_table
from perfhouse.loading import load
from perfhouse.picture import Picture
from perfhouse.profile import Metrics, Profile, ensemble_of, profile_of
from perfhouse.progress import Progress, Wish
from perfhouse.times import tell_what_can_be_told


def connect(conninfo: Optional[str] = None) -> Warehouse:
    """Opens a warehouse: of a connection string or URI, else what `perfhouse conninfo` tells, which starts the private
    server when there is no other."""
    if conninfo is None:
        conninfo = program.run(["conninfo"]).decode().strip()
    return Warehouse(conninfo)


def to_perfhouse(data: Any, conninfo: Optional[str] = None, **metadata: Any) -> list[int]:
    """What Warehouse.load() takes becomes runs, whose numbers it gives, of the warehouse that connect() opens: the way back
    for a script that has a GraphFrame or a Thicket and asks the warehouse nothing else."""
    with connect(conninfo) as warehouse:
        return warehouse.load(data, **metadata)


class Warehouse:
    """An open warehouse. Its queries may only read; names of schema perfhouse need no schema."""

    def __init__(self, conninfo: str):
        self.conninfo = conninfo
        self.connection = psycopg.connect(conninfo, autocommit=True)
        tell_what_can_be_told(self.connection)
        self.connection.execute("SET search_path = perfhouse, public")
        self.connection.execute("SET default_transaction_read_only = on")
        self.columns = Columns(conninfo)

    def close(self) -> None:
        self.columns.close()
        self.connection.close()

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sql(
        self,
        query: str,
        parameters: Union[Sequence[Any], dict[str, Any], None] = None,
        to: Literal["pandas", "arrow"] = "pandas",
        progress: Wish = None,
    ) -> Any:
        """The rows of a query as a DataFrame, or a pyarrow.Table; parameters are %s or %(name)s there. Infinite times are
        missing, in a DataFrame also those before Christ and after 9999. progress as in events(), in rows: only of what comes
        as Arrow, which is the way for many."""
        if _is_arrow(to):
            if parameters is not None:
                query = psycopg.ClientCursor(self.connection).mogrify(query.encode(), parameters)
            with Progress("fetching", "rows", None, progress) as shown:
                return self.columns.fetch(query, lambda batch: shown.step(batch.num_rows))
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(query.encode(), parameters)
            if cursor.description is None:
                raise ValueError("the query gives no rows")
            names = [column.name for column in cursor.description]
            return pd.DataFrame.from_records(cursor.fetchall(), columns=names)

    def runs(self, filter: Optional[str] = None, application: Optional[str] = None) -> pd.DataFrame:
        """The runs, newest last, by the conditions of `perfhouse runs`, such as "n_ranks = 64 AND tag = 'good'"."""
        if filter is None and application is None:
            return self._frame("SELECT * FROM run_overview ORDER BY run_id")
        return self._frame("SELECT * FROM chosen_runs(%s::text, %s::text) ORDER BY run_id", (application, filter))

    def profile(self, run: int, metric: Optional[str] = None, metrics: Metrics = None) -> Profile:
        """The profile of a run, as an expression: of its time and, where they were counted, calls, of one metric, or of several,
        the first of which is the primary one; "all" has whatever was measured."""
        if metric is not None:
            return Profile(self, f"profile({int(run)})").of_metric(run, metric)
        return Profile(self, profile_of(str(int(run)), metrics))

    def ensemble(self, filter: Optional[str] = None, application: Optional[str] = None, metrics: Metrics = None) -> Profile:
        """The profile of many runs: a column a run; metrics as for one."""
        return ensemble_of(self, self._chosen(filter, application), metrics)

    def thicket(
        self, filter: Optional[str] = None, application: Optional[str] = None, metrics: Metrics = None, progress: Wish = None
    ) -> Any:
        """The runs as a Thicket, with what run_overview says of them as metadata; metrics as for a profile, progress as in
        events(), by metric."""
        from perfhouse.hatchet import thicket_of

        return thicket_of(self, self._chosen(filter, application), metrics, progress)

    def events(
        self,
        run: int,
        start: Optional[int] = None,
        end: Optional[int] = None,
        locations: Optional[Sequence[int]] = None,
        to: Literal["pandas", "arrow"] = "pandas",
        progress: Wish = None,
    ) -> Any:
        """The events of a trace from start to before end (ns): location, rank, time, kind, region, peer and bytes, by
        location and time. kind and region are categories; peer and bytes are -1 where an event has none, in Arrow null.
        progress: whether to show how far it is, or a function that is told (done, total); None: in notebooks, after a second."""
        window = Window(run, start, end, locations)
        return events_table(self, window, progress) if _is_arrow(to) else events_frame(self, window, progress)

    def load(self, data: Any, progress: Wish = None, **metadata: Any) -> list[int]:
        """Loads a file or folder of profiles or traces, a table (DataFrame, pyarrow.Table, Parquet or CSV file, with columns
        callpath, rank, thread and metrics, as docs/FORMATS.md says), a GraphFrame of Hatchet or a Thicket, and gives the
        numbers of the runs. Keywords are metadata, such as application="lulesh". progress as in events(), in bytes read."""
        return load(self, data, metadata, progress)

    def picture(self, view: str, query: Union[str, Profile], **options: Any) -> Picture:
        """A picture of a query or profile: `perfhouse render --list` tells what each view draws."""
        text = query if isinstance(query, str) else f"SELECT {query.expression}"
        return Picture(view, text, self.conninfo, options)

    def __repr__(self) -> str:
        told = self._frame("SELECT count(*) AS n, count(DISTINCT application) AS applications FROM run_overview")
        return f"Warehouse({told['n'][0]} runs of {told['applications'][0]} applications)"

    # ---- inside

    def _frame(self, query: str, parameters: Optional[Sequence[Any]] = None) -> pd.DataFrame:
        frame: pd.DataFrame = self.sql(query, parameters)
        return frame

    def _chosen(self, filter: Optional[str], application: Optional[str]) -> pd.DataFrame:
        chosen = self.runs(filter, application)
        if chosen.empty:
            raise LookupError("no run matches")
        return chosen


def _is_arrow(to: str) -> bool:
    if to not in ("pandas", "arrow"):
        raise ValueError(f'to="{to}" is neither "pandas" nor "arrow"')
    return to == "arrow"
