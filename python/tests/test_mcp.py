"""`perfhouse mcp` with the protocol's own client: every tool is listed as reading only, and answers in 8 kB at most."""

import asyncio
import os

import pytest

pytest.importorskip("psycopg")
mcp = pytest.importorskip("mcp")
stdio = pytest.importorskip("mcp.client.stdio")

ASKED = {
    "runs": {},
    "explain": {"run": 1},
    "compare": {"a": 1, "b": 2},
    "profile": {"run": 1},
    "waits": {"run": 4},
    "query": {"sql": "SELECT count(*) FROM run"},
    "picture": {"view": "flame", "run": 1},
}


def _of(found, *names):
    """Fields are called otherwise in older versions of the package."""
    return next(getattr(found, name) for name in names if hasattr(found, name))


async def _ask(server):
    async with stdio.stdio_client(server) as (reader, writer), mcp.ClientSession(reader, writer) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        answers = {name: await session.call_tool(name, arguments) for name, arguments in ASKED.items()}
        refused = [await session.call_tool("query", {"sql": "DELETE FROM run"}), await session.call_tool("profile", {"run": "x"})]
    return tools, answers, refused


def test_with_the_protocol_s_client(warehouse):
    server = mcp.StdioServerParameters(command=os.environ["PERFHOUSE"], args=["mcp", "--db", warehouse.conninfo], env=dict(os.environ))
    tools, answers, refused = asyncio.run(asyncio.wait_for(_ask(server), 120))
    assert {tool.name for tool in tools} == set(ASKED)
    assert all(_of(tool.annotations, "readOnlyHint", "read_only_hint") for tool in tools)
    for name, answer in answers.items():
        text = "".join(part.text for part in answer.content if part.type == "text")
        assert not _of(answer, "isError", "is_error"), (name, text)
        assert 0 < len(text.encode()) <= 8192 and ("SQL: " in text or name in ("picture", "explain", "waits", "compare")), (name, text)
    assert any(part.type == "image" for part in answers["picture"].content)
    assert all(_of(answer, "isError", "is_error") for answer in refused)
