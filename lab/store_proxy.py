#!/usr/bin/env python3
"""A proxy in front of an S3 server that makes it behave like one far away: latency, limited bandwidth, errors.

Settings are a JSON file that is read again whenever it changes:
    {"delay_ms": 60, "put_mb_per_s": 0, "get_mb_per_s": 0, "error_share": 0.0}
The delay is the median of a log-normal distribution and applies to GET and PUT of objects; 0 MB/s means no limit.
"""
import argparse
import asyncio
import json
import math
import os
import random

CHUNK = 256 * 1024
SPREAD = 0.25
UNAVAILABLE = (
    b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: 64\r\nConnection: close\r\n\r\n"
    b"<Error><Code>SlowDown</Code><Message>injected</Message></Error>  "[:64]
)


class Settings:
    def __init__(self, path):
        self.path = path
        self.seen = None
        self.now = {}
        self.read()

    def read(self):
        try:
            changed = os.stat(self.path).st_mtime_ns
            if changed != self.seen:
                with open(self.path) as file:
                    self.now = json.load(file)
                self.seen = changed
        except (OSError, ValueError):
            pass  # half written: the next look finds it whole

    def __getitem__(self, key):
        return float(self.now.get(key, 0))


class Limit:
    """A bucket of bytes shared by all connections; who overdraws it waits until it is even again."""

    def __init__(self):
        self.even_at = 0.0

    async def take(self, size, mb_per_s):
        if mb_per_s <= 0:
            return
        now = asyncio.get_running_loop().time()
        self.even_at = max(self.even_at, now) + size / (mb_per_s * 1e6)
        if self.even_at - now > 0.005:
            await asyncio.sleep(self.even_at - now)


def header(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().lower()
    return b""


async def copy_body(source, sink, head, has_body, limit, rate):
    """Copies the body that belongs to a head; False when it lasts until the connection ends."""
    if b"chunked" in header(head, b"transfer-encoding"):
        while True:
            line = await source.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            data = line + await source.readexactly(size + 2)
            await limit.take(size, rate())
            sink.write(data)
            await sink.drain()
            if size == 0:
                return True
    length = header(head, b"content-length")
    if not has_body or (not length and head.startswith((b"GET", b"HEAD", b"DELETE", b"PUT", b"POST"))):
        return True
    left = int(length) if length else math.inf
    while left > 0:
        data = await source.read(min(CHUNK, left) if left != math.inf else CHUNK)
        if not data:
            return False
        left -= len(data)
        await limit.take(len(data), rate())
        sink.write(data)
        await sink.drain()
    return True


class Proxy:
    def __init__(self, upstream, settings):
        self.upstream = upstream
        self.settings = settings
        self.put_limit = Limit()
        self.get_limit = Limit()

    async def serve(self, reader, writer):
        upstream_writer = None
        try:
            upstream, upstream_writer = await asyncio.open_connection(*self.upstream, limit=2 * CHUNK)
            while await self.exchange(reader, writer, upstream, upstream_writer):
                pass
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            pass  # either side left; the client's own retries are part of what is observed
        finally:
            for side in (writer, upstream_writer):
                if side is not None:
                    side.close()

    async def exchange(self, reader, writer, upstream, upstream_writer):
        head = await reader.readuntil(b"\r\n\r\n")
        method, path = head.split(b" ", 2)[:2]
        # Objects lie below the bucket; what concerns the bucket itself (list, location) is answered at once.
        is_object = method in (b"GET", b"PUT") and path.split(b"?")[0].strip(b"/").count(b"/") >= 1
        if is_object:
            delay = self.settings["delay_ms"] / 1000
            await asyncio.sleep(delay * random.lognormvariate(0, SPREAD))
            if random.random() < self.settings["error_share"]:
                writer.write(UNAVAILABLE)
                await writer.drain()
                return False
        if header(head, b"expect") == b"100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            head = b"\r\n".join(line for line in head.split(b"\r\n") if not line.lower().startswith(b"expect:"))
        upstream_writer.write(head)
        await copy_body(reader, upstream_writer, head, True, self.put_limit, lambda: self.settings["put_mb_per_s"])
        await upstream_writer.drain()

        answer = await upstream.readuntil(b"\r\n\r\n")
        status = answer.split(b" ", 2)[1]
        writer.write(answer)
        has_body = method != b"HEAD" and status not in (b"204", b"304")
        whole = await copy_body(
            upstream, writer, answer, has_body, self.get_limit, lambda: self.settings["get_mb_per_s"])
        await writer.drain()
        return whole and header(answer, b"connection") != b"close"


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", type=int, required=True, help="port on loopback")
    parser.add_argument("--upstream", type=int, required=True, help="port of the S3 server on loopback")
    parser.add_argument("--settings", required=True, help="JSON file")
    asked = parser.parse_args()
    settings = Settings(asked.settings)
    proxy = Proxy(("127.0.0.1", asked.upstream), settings)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", asked.listen, limit=2 * CHUNK, backlog=512)
    async with server:
        while True:
            await asyncio.sleep(0.2)
            settings.read()


if __name__ == "__main__":
    asyncio.run(main())
