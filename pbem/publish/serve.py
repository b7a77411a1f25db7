"""Shows a built site on this machine, to nobody else."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


class _Handler(SimpleHTTPRequestHandler):
    """Gives out files of one folder: no listings, nothing hidden, nothing a link leads out to."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".toml": "text/plain; charset=utf-8"}

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        root = Path(self.directory).resolve()
        if not path.resolve().is_relative_to(root) or any(part.startswith(".") for part in path.relative_to(self.directory).parts):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the reader looks at the pages, not at the terminal."""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for ``folder`` on 127.0.0.1, not yet running; port 0 takes a free one. OSError when the port is taken."""
    return ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(folder)))


def serve(folder: Path, port: int) -> None:
    """Serves ``folder`` on 127.0.0.1 until interrupted (KeyboardInterrupt ends it without a traceback)."""
    with server(folder, port) as running:
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return
