"""A reverse proxy as small as can be: it passes on what comes, and says that TLS ended with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

END = b"\r\n\r\n"
SAID = b"\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.7"


@asynccontextmanager
async def reverse_proxy(service: str) -> AsyncIterator[str]:
    """Pass requests on to the service at this host:port; the proxy's own host:port."""
    host, port = service.split(":")

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        try:
            head = (await reader.readuntil(END)).removesuffix(END) + SAID
            if b"upgrade: websocket" not in head.lower():
                head += b"\r\nConnection: close"  # one request for each connection
            back.write(head + END)
            flows = [_flow(reader, back), _flow(there, writer)]
            tasks = [asyncio.ensure_future(flow) for flow in flows]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            back.close()
            writer.close()

    server = await asyncio.start_server(pass_on, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def _flow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
