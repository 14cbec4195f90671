"""Hooks of schemathesis (SCHEMATHESIS_HOOKS): half of the requests name what is in the warehouse of tests/tap/063_openapi.pl,
so that they reach answers and not only the checks of what was asked for."""

import zlib

import schemathesis

RUNS = 4  # the last one has a trace
TEXTS = {
    "application": "lulesh",
    "metric": "time",
    "metric_y": "time",
    "node": "main",
    "function": "main",
    "name": "main",
    "path": "main",
    "file": "lulesh.cc",
    "filter": "n_ranks = 8",
    "highlight": "[exclusive > 0.1]",
    "query": "SELECT name, exclusive FROM flat(profile(1)) LIMIT 3",
}
RUN_NAMES = ("run", "vs", "a", "b", "after", "before")


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def has_words(context, name):
    """Is it one of some words, or a number? These are chosen from the description."""
    parameters = context.operation.definition.raw["parameters"]
    schemas = [parameter["schema"] for parameter in parameters if parameter["name"] == name]
    return any("enum" in schema or schema.get("type") != "string" for schema in schemas)


@schemathesis.hook
def map_query(context, query):
    if not query:
        return query
    for name, value in query.items():
        choice = zlib.crc32(f"{name}={value!r}".encode("utf-8", "surrogatepass"))
        if choice % 2 == 0:
            continue
        if name in RUN_NAMES and is_number(value):
            query[name] = RUNS if choice // 2 % 2 else 1 + choice // 4 % RUNS
        elif name in TEXTS and isinstance(value, str) and value and not has_words(context, name):
            query[name] = TEXTS[name]
    return query
