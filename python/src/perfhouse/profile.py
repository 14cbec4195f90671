"""Profiles and super graphs as SQL expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import pandas as pd

from perfhouse.columns import joined
from perfhouse.literal import literal
from perfhouse.picture import Picture
from perfhouse.progress import Wish

if TYPE_CHECKING:
    from perfhouse.warehouse import Warehouse

# of a run: None for time and calls, "all", a name or several
Metrics = Union[str, Sequence[str], None]

# of value_columns()
_PACKED = {"node": "<i4", "location": "<i4", "inclusive": "<f8", "exclusive": "<f8"}


def _call(function: str, first: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
    if not all(name.isidentifier() for name in (function, *named)):
        raise ValueError(f"{function} is no name of a function")
    parts = [first, *(literal(value) for value in arguments)]
    parts += [f"{name} => {literal(value)}" for name, value in named.items()]
    return f"{function}({', '.join(parts)})"


class Profile:
    """A profile that the server makes when its rows are asked for. Operators and methods give new expressions."""

    def __init__(self, warehouse: Warehouse, expression: str):
        self.warehouse, self.expression = warehouse, expression

    # ---- profiles of profiles

    def __sub__(self, other: Profile) -> Profile:
        return Profile(self.warehouse, f"({self.expression} - {_profile(other)})")

    def __add__(self, other: Profile) -> Profile:
        return Profile(self.warehouse, f"({self.expression} + {_profile(other)})")

    def __mul__(self, other: Union[Profile, float]) -> Profile:
        return Profile(self.warehouse, f"({self.expression} * {_operand(other)})")

    def __rmul__(self, number: float) -> Profile:
        return self * number

    def __truediv__(self, other: Union[Profile, float]) -> Profile:
        return Profile(self.warehouse, f"({self.expression} / {_operand(other)})")

    def apply(self, function: str, *arguments: Any, **named: Any) -> Profile:
        """Any function of the extension that gives a profile of a profile."""
        return Profile(self.warehouse, _call(function, self.expression, arguments, named))

    def filter(self, share: float = 0.001, **named: Any) -> Profile:
        return self.apply("filter", share, **named)

    def squash(self, query: str) -> Profile:
        return self.apply("squash", query)

    def invert(self) -> Profile:
        return self.apply("invert")

    def subset_ranks(self, ranks: Any) -> Profile:
        return self.apply("subset_ranks", list(ranks))

    def of_metric(self, run: int, metric: str) -> Profile:
        return Profile(self.warehouse, f"profile({int(run)}, {literal(metric)})")

    def supergraph(self, group_by: str = "module", **named: Any) -> Supergraph:
        return Supergraph(self.warehouse, _call("supergraph", self.expression, (group_by,), named))

    # ---- rows

    def rows(self, function: str, *arguments: Any, **named: Any) -> pd.DataFrame:
        """The rows that any function of the extension gives of a profile."""
        frame: pd.DataFrame = self.warehouse.sql(
            "SELECT * FROM " + _call(function, self.expression, arguments, named).replace("%", "%%"), ()
        )
        return frame

    def nodes(self, **named: Any) -> pd.DataFrame:
        """A row a call path: means over ranks."""
        return self.rows("nodes", **named)

    def flat(self, by: str = "function", **named: Any) -> pd.DataFrame:
        return self.rows("flat", by, **named)

    def values(self, metric: Optional[str] = None) -> pd.DataFrame:
        """A row a call path and rank that has it: node, location, inclusive and exclusive."""
        call = _call("value_columns", self.expression, (metric,), {})
        table = self.warehouse.columns.fetch(f"SELECT node, location, inclusive, exclusive FROM {call} ORDER BY first_node")
        columns = {name: joined(table[name], dtype) for name, dtype in _PACKED.items()}
        return pd.DataFrame(columns, copy=False)

    def columns(self) -> pd.DataFrame:
        return self.rows("columns")

    def metrics(self) -> pd.DataFrame:
        return self.rows("metrics")

    def tree(self, **named: Any) -> str:
        """The call tree as text."""
        call = _call("tree_text", self.expression, (), named)
        return str(self.warehouse.sql(f"SELECT {call.replace('%', '%%')} AS tree", ())["tree"][0])

    def to_hatchet(self, fill: bool = True, progress: Wish = None) -> Any:
        """A Hatchet GraphFrame: exclusive costs under the metric's name, inclusive ones as "NAME (inc)", by rank. Every node has
        a row for every rank, which functions of Hatchet need: what a rank has not is 0 (of minima, maxima and ratios NaN),
        and "present" is False. fill=False leaves those rows out. progress as in Warehouse.events(), by metric."""
        from perfhouse.hatchet import graphframe_of

        return graphframe_of(self, fill, progress)

    # ---- pictures

    def picture(self, view: str = "flame", **options: Any) -> Picture:
        return self.warehouse.picture(view, self, **options)

    def _repr_svg_(self) -> str:
        return self.picture()._repr_svg_()

    def __repr__(self) -> str:
        return f"Profile({self.expression})"


class Supergraph:
    """A super graph, likewise."""

    def __init__(self, warehouse: Warehouse, expression: str):
        self.warehouse, self.expression = warehouse, expression

    def apply(self, function: str, *arguments: Any, **named: Any) -> Supergraph:
        return Supergraph(self.warehouse, _call(function, self.expression, arguments, named))

    def rows(self, function: str, *arguments: Any, **named: Any) -> pd.DataFrame:
        frame: pd.DataFrame = self.warehouse.sql(
            "SELECT * FROM " + _call(function, self.expression, arguments, named).replace("%", "%%"), ()
        )
        return frame

    def supernodes(self, **named: Any) -> pd.DataFrame:
        return self.rows("supernodes", **named)

    def picture(self, view: str = "sankey", **options: Any) -> Picture:
        return Picture(view, f"SELECT {self.expression}", self.warehouse.conninfo, options)

    def _repr_svg_(self) -> str:
        return self.picture()._repr_svg_()

    def __repr__(self) -> str:
        return f"Supergraph({self.expression})"


def _profile(value: Any) -> str:
    if not isinstance(value, Profile):
        raise TypeError(f"profiles are added to and subtracted from profiles, not a {type(value).__name__}")
    return value.expression


def _operand(value: Union[Profile, float]) -> str:
    return value.expression if isinstance(value, Profile) else f"{literal(float(value))}::float8"


def profile_of(run: str, metrics: Metrics) -> str:
    """The expression of a run's profile with these metrics."""
    if metrics is None:
        return f"profile({run})"
    names = "NULL" if metrics == "all" else literal([metrics] if isinstance(metrics, str) else list(metrics))
    return f"profile({run}, {names}::text[])"


def ensemble_of(warehouse: Warehouse, runs: pd.DataFrame, metrics: Metrics = None) -> Profile:
    """A column a run, named by its number."""
    numbers = literal([int(run) for run in runs["run_id"]])
    return Profile(
        warehouse,
        f"(SELECT ensemble({profile_of('run', metrics)}, run::text ORDER BY run) FROM unnest({numbers}::int8[]) run)",
    )
