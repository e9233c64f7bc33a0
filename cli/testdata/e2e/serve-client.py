"""A client on the official Python SDK: it lists the tools of a Streamable HTTP
server, makes the calls it is given and prints what it saw.

    python3 serve-client.py CALLS_FILE URL
"""

import asyncio
import json
import sys

from mcp import Client


async def main(calls_file: str, url: str) -> None:
    with open(calls_file) as f:
        calls = json.load(f)
    saw = {"calls": []}
    async with Client(url) as client:
        saw["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        for call in calls:
            result = await client.call_tool(call["name"], call.get("arguments"))
            saw["calls"].append({"name": call["name"], "isError": bool(result.is_error), "structured": result.structured_content})
    print(json.dumps(saw))


asyncio.run(main(*sys.argv[1:]))
