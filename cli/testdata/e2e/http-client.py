"""A client on the official Python SDK. It connects to a Streamable HTTP server,
makes the calls it is given one after the other, and prints what it saw as JSON.

    python3 http-client.py CALLS_FILE URL
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.types import CreateMessageResult, ElicitResult, TextContent


async def main(calls_file: str, url: str) -> None:
    saw = {"asked": [], "calls": []}

    async def sample(context, params):
        saw["asked"].append("sampling")
        return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text="42"))

    async def elicit(context, params):
        saw["asked"].append("elicitation")
        return ElicitResult(action="decline")

    with open(calls_file) as f:
        calls = json.load(f)
    async with Client(url, sampling_callback=sample, elicitation_callback=elicit) as client:
        saw["protocol"] = str(client.protocol_version)
        for call in calls:
            seen = {"progress": []}

            async def progress(value, total, message):
                seen["progress"].append(value)

            try:
                result = await client.call_tool(call["name"], call.get("arguments"), progress_callback=progress)
                seen["result"] = result.model_dump(mode="json", exclude_none=True)
            except Exception as error:
                seen["error"] = f"{type(error).__name__}: {error}"
            saw["calls"].append(seen)
    saw["asked"].sort()
    print(json.dumps(saw, indent=1, sort_keys=True))


asyncio.run(main(*sys.argv[1:]))
