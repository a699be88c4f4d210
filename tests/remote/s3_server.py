"""An S3 server in a process of its own: moto, with every answer counted.

python s3_server.py prints its port. GET /__answers__ gives [[method, path, range, bytes], ...] since the last time.
PUT /__fault__?status=403&prefix=/bucket/name makes it answer so to what begins with the prefix; status=0 ends that.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


class Counted:
    def __init__(self, application: Any) -> None:
        self.application = application
        self.answers: list[tuple[str, str, str, int]] = []
        self.fault: tuple[int, str] = (0, "")
        self.lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/__answers__":
            with self.lock:
                body, self.answers = json.dumps(self.answers).encode(), []
            start("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        if path == "/__fault__":
            query = parse_qs(environ["QUERY_STRING"])
            self.fault = (int(query["status"][0]), query.get("prefix", [""])[0])
            start("200 OK", [("Content-Length", "0")])
            return [b""]
        if self.fault[0] and path.startswith(self.fault[1]):
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            body = b"" if environ["REQUEST_METHOD"] == "HEAD" else b"<Error><Code>AccessDenied</Code></Error>"
            start(f"{self.fault[0]} no", [("Content-Length", str(len(body)))])
            return [body]
        body = b"".join(self.application(environ, start))
        with self.lock:
            size = len(body) if environ["REQUEST_METHOD"] == "GET" else int(environ.get("CONTENT_LENGTH") or 0)
            self.answers.append((environ["REQUEST_METHOD"], path, environ.get("HTTP_RANGE", ""), size))
        return [body]


if __name__ == "__main__":
    server = make_server("127.0.0.1", 0, Counted(DomainDispatcherApplication(create_backend_app)), threaded=True)
    print(server.server_port, flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()
