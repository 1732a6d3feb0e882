"""The Python clients over stdio.

    python.py mcp1          mcp 1.x, initialize only
    python.py modern|auto   mcp 2.x
"""

import asyncio
import json
import os
import sys
import time
from contextlib import AsyncExitStack

import anyio
import mcp

WHICH = sys.argv[1]
WORK = os.environ["CLIENTS"]
STEM = os.path.join(WORK, "runs", f"python-{WHICH}-{os.getpid()}")
with open(os.environ["PLAN"], encoding="utf-8") as file:
    PLAN = json.load(file)
# A shell writes its process number down and becomes the server.
SCRIPT = 'echo $$ >"$0.pid"; exec "$1" --record "$0-$$.record" "$2"'
SERVER = mcp.StdioServerParameters(
    command="sh",
    args=["-c", SCRIPT, STEM, os.environ["FILEWRIGHT"], os.path.join(WORK, "files")],
    env=dict(os.environ),
)
counts = {"passed": 0, "failed": 0}


def check(what, complaint=None):
    counts["failed" if complaint else "passed"] += 1
    print(f"FAIL {what}: {str(complaint)[:400]}" if complaint else f"ok   {what}", flush=True)


def complaint(call, result):
    """What is wrong with an answer, or nothing."""
    answer = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = "\n".join(block.get("text", "") for block in answer["content"])
    if bool(answer.get("isError")) != bool(call.get("fails")):
        return f"isError is {answer.get('isError')}: {text}"
    for part in call.get("says", []):
        if part not in text:
            return f"{part!r} is not in {text!r}"
    for key, value in call.get("structured", {}).items():
        if answer.get("structuredContent", {}).get(key) != value:
            return f"structuredContent is {answer.get('structuredContent')}"
    return None


class Old:
    """mcp 1.x: a session over two streams; cancelling a task tells the server nothing, so we tell it."""

    async def __aenter__(self):
        from mcp.client.stdio import stdio_client

        self.stack = AsyncExitStack()
        streams = await self.stack.enter_async_context(stdio_client(SERVER))
        self.session = await self.stack.enter_async_context(mcp.ClientSession(*streams))
        hello = await self.session.initialize()
        self.name, self.revision = hello.serverInfo.name, hello.protocolVersion
        return self

    async def __aexit__(self, *error):
        await self.stack.aclose()

    async def tools(self):
        return (await self.session.list_tools()).tools

    async def call(self, call):
        return await self.session.call_tool(call["tool"], call["arguments"])

    async def cancelled(self):
        from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification

        params = CancelledNotificationParams(requestId=self.session._request_id - 1, reason="no longer needed")
        notification = CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(ClientNotification(notification))


class New:
    """mcp 2.x: cancelling a task cancels the call."""

    async def __aenter__(self):
        mode = "2026-07-28" if WHICH == "modern" else "auto"
        self.client = mcp.Client(SERVER, mode=mode)
        await self.client.__aenter__()
        # Without a handshake this client never learns who serves it.
        info = self.client.server_info
        self.name, self.revision = (info.name if info else None), self.client.protocol_version
        return self

    async def __aexit__(self, *error):
        await self.client.__aexit__(None, None, None)

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, call):
        return await self.client.call_tool(call["tool"], call["arguments"])

    async def cancelled(self):
        pass


async def judged(client, call):
    try:
        return complaint(call, await client.call(call))
    except Exception as error:  # whatever the client raises is what gets reported
        return f"{type(error).__name__}: {error}"


def error_code(error):
    return getattr(getattr(error, "error", error), "code", None)


async def converse(client):
    if client.name is not None or WHICH != "modern":
        check("the server names itself", None if client.name == "filewright" else client.name)
    modern = client.revision == "2026-07-28"
    check(f"the revision is {client.revision}", None if modern == (WHICH != "mcp1") else "of the other era")
    names = [tool.name for tool in await client.tools()]
    check("tools/list", None if names == PLAN["tools"] else names)
    for call in PLAN["calls"]:
        check(f"{call['tool']} {json.dumps(call['arguments'], ensure_ascii=False)}", await judged(client, call))
    try:
        check("an unknown tool is refused", f"{await client.call({'tool': 'no_such_tool', 'arguments': {}})}")
    except Exception as error:
        check("an unknown tool is refused with -32602", None if error_code(error) == -32602 else repr(error))
    answers = await asyncio.gather(*(judged(client, PLAN["many"]) for _ in range(100)))
    bad = [it for it in answers if it]
    check("100 calls at once", f"{len(bad)} bad, the first: {bad[0]}" if bad else None)
    with anyio.move_on_after(0.1) as scope:
        await client.call(PLAN["slow"])
    check("a cancelled call ends", None if scope.cancelled_caught else "it was answered before it was cancelled")
    await client.cancelled()
    check("the next call is answered", await judged(client, PLAN["many"]))
    await asyncio.sleep(0.5)


async def seconds_until_gone(pid, since):
    while time.monotonic() - since < 5:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        await asyncio.sleep(0.005)
    return time.monotonic() - since


async def main():
    client = Old() if WHICH == "mcp1" else New()
    # No time limit of its own: a cancel scope must not be left before what is opened in it. The script has one.
    await client.__aenter__()
    await converse(client)
    with open(f"{STEM}.pid", encoding="ascii") as file:
        pid = int(file.read())
    since = time.monotonic()
    watch = asyncio.create_task(seconds_until_gone(pid, since))
    await client.__aexit__(None, None, None)
    seconds = await watch
    check(f"the process is gone within a second ({seconds * 1000:.0f} ms)", None if seconds <= 1 else "it is not")
    with open(f"{STEM}-{pid}.record", encoding="utf-8") as file:
        reached = "notifications/cancelled" in file.read()
    check("the cancellation reached the server", None if reached else "it did not")


asyncio.run(main())
print(f"{counts['passed']} passed, {counts['failed']} failed", flush=True)
sys.exit(1 if counts["failed"] else 0)
