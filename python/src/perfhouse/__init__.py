"""perfhouse: a performance data warehouse for parallel programs, from Python.

connect() opens a warehouse; what it gives out are data frames, and profiles that are SQL expressions until somebody
asks for their rows.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfhouse.picture import Picture
    from perfhouse.profile import Profile, Supergraph
    from perfhouse.program import ProgramError
    from perfhouse.warehouse import Warehouse, connect, to_perfhouse

__all__ = ["Picture", "Profile", "ProgramError", "Supergraph", "Warehouse", "connect", "to_perfhouse"]


def __getattr__(name: str) -> Any:
    """When they are first asked for: what writes Parquet for the programs needs neither pandas nor drivers."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from perfhouse import picture, profile, program, warehouse

    for module in (picture, profile, program, warehouse):
        if hasattr(module, name):
            globals()[name] = getattr(module, name)
            break
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
