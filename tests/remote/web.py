"""A web server for tests: files of a directory with ranges, its requests counted, its faults made to order."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Web:
    """url: of the directory.   requests: (method, path, bytes sent) of all answers, in order.

    break_after: cut the connection after so many bytes of a body.   breaks: how many times, then no more.
    status: what to answer every GET with; 0 for what is right.   ranges: whether ranges are obeyed.
    """

    root: Path
    url: str = ""
    requests: list[tuple[str, str, int]] = field(default_factory=list)
    break_after: int = -1
    breaks: int = 1000
    status: int = 0
    ranges: bool = True
    sizes: bool = True

    @property
    def gets(self) -> list[tuple[str, int]]:
        return [(path.rpartition("/")[2], size) for method, path, size in self.requests if method == "GET"]

    @property
    def sent(self) -> int:
        return sum(size for method, _, size in self.requests if method == "GET")


@contextlib.contextmanager
def serve(root: Path) -> Iterator[Web]:
    web = Web(root)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.answer(False)

        def do_GET(self) -> None:
            self.answer(True)

        def answer(self, with_body: bool) -> None:
            name = self.path.partition("?")[0].strip("/")
            path = web.root / name
            if web.status:
                self.short(web.status, b"no")
                return
            if path.is_dir():
                page = "".join(f'<a href="{one.name}">{one.name}</a>' for one in sorted(path.iterdir()))
                self.short(200, f"<!DOCTYPE html><html>{page}</html>".encode(), "text/html")
                return
            if not path.is_file():
                self.short(404, b"not here")
                return
            length = path.stat().st_size
            found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            start, stop = 0, length
            if found and web.ranges:
                start, stop = int(found[1]), min(int(found[2] or length) + 1, length)
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{length}")
            else:
                self.send_response(200)
            if web.sizes:
                self.send_header("Content-Length", str(stop - start))
            else:
                self.send_header("Connection", "close")
            self.send_header("ETag", f'"{path.stat().st_mtime_ns}-{length}"')
            self.end_headers()
            sent = 0
            if with_body:
                with path.open("rb") as file:
                    file.seek(start)
                    body = file.read(stop - start)
                if 0 <= web.break_after < len(body) and web.breaks > 0:
                    web.breaks -= 1
                    body = body[: web.break_after]
                    self.close_connection = True
                sent = len(body)
                self.close_connection |= not web.sizes
            web.requests.append((self.command, self.path, sent))
            if sent:
                self.wfile.write(body)

        def short(self, status: int, body: bytes, kind: str = "text/plain") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", kind)
            self.end_headers()
            web.requests.append((self.command, self.path, len(body) if self.command == "GET" else 0))
            if self.command == "GET":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    web.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
