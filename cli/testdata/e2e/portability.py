"""The official Python client against one server after another: connect, list the
tools, call the first one. It prints MODE: STAGE, where STAGE is ok, or what failed
or hung: connect, list or call.

    python3 portability.py SERVER_SCRIPT MODE...
"""

import asyncio
import os
import sys
import traceback

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TIMEOUT = 12


async def run(server: str, mode: str) -> str:
    stage = "connect"
    params = StdioServerParameters(command="node", args=[server, mode])
    try:
        async with asyncio.timeout(3 * TIMEOUT):
            async with stdio_client(params, errlog=open(os.devnull, "w")) as (read, write):
                async with ClientSession(read, write) as session:
                    async with asyncio.timeout(TIMEOUT):
                        await session.initialize()
                    stage = "list"
                    async with asyncio.timeout(TIMEOUT):
                        tools = (await session.list_tools()).tools
                    if not tools:
                        return stage
                    stage = "call"
                    async with asyncio.timeout(TIMEOUT):
                        await session.call_tool(tools[0].name, {})
                    stage = "ok"
    except BaseException as error:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if os.environ.get("DETAIL"):
            print(mode, stage, type(error).__name__, str(error)[:150].replace("\n", " "), file=sys.stderr)
        if stage == "call" and mode in ("error-proper",):
            return "ok"
    return stage


async def main(server: str, modes: list[str]) -> None:
    slots = asyncio.Semaphore(4)

    async def one(mode: str) -> None:
        async with slots:
            print(f"{mode}: {await run(server, mode)}", flush=True)

    await asyncio.gather(*(one(mode) for mode in modes))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
