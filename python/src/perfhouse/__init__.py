"""perfhouse: a performance data warehouse for parallel programs, from Python.

connect() opens a warehouse; what it gives out are data frames, and profiles that are SQL expressions until somebody
asks for their rows.
"""

from perfhouse.picture import Picture
from perfhouse.profile import Profile, Supergraph
from perfhouse.warehouse import Warehouse, connect

__all__ = ["Picture", "Profile", "Supergraph", "Warehouse", "connect"]
