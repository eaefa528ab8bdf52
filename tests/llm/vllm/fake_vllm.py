"""Behaves like `vllm serve` on the outside: loads for a while, leaves an engine process behind, answers, ends.

    fake_vllm.py serve MODEL --host H --port N ... [--fake load|fail|hang|stubborn]

`load` shows a weight that is half loaded and stays there; `fail` fails while loading; `hang` never opens its port;
`stubborn` ignores SIGTERM; any is no longer well after SIGUSR1. It has no imports but the standard
library and starts in a tenth of a second.
"""

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STAMP = "11-21 11:04:05"
MODELS = {"object": "list", "data": [{"id": "tiny", "max_model_len": 8192}, {"id": "ann", "max_model_len": None}]}


def say(text: str, process: str = "APIServer") -> None:
    print(f"({process} pid={os.getpid()}) INFO {STAMP} [core.py:1] {text}", flush=True)


class Api(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        body = json.dumps(MODELS).encode() if self.path == "/v1/models" else b""
        self.send_response(Api.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        print(f'INFO:     127.0.0.1:5 - "{self.requestline}" 200 OK', flush=True)


def engine() -> None:
    """What holds the memory: it lives on when the server is killed, as the real one's does."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN if MODE == "stubborn" else signal.SIG_DFL)
    time.sleep(600)


def main(port: int) -> None:
    say(f"non-default args: {sys.argv}")
    say(f"environment: {sorted(os.environ)}")
    if os.fork() == 0:
        engine()
    signal.signal(signal.SIGTERM, signal.SIG_IGN if MODE == "stubborn" else lambda *_: sys.exit(0))
    if MODE == "hang":
        time.sleep(600)
    sys.stdout.write("Loading safetensors checkpoint shards:   0% Completed | 0/2 [00:00<?, ?it/s]\r")
    sys.stdout.write("Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.0it/s]\n")
    sys.stdout.flush()
    if MODE == "load":
        time.sleep(600)
    if MODE == "fail":
        print(f"(EngineCore pid=7) ERROR {STAMP} [core.py:1] ValueError: no room for {os.environ.get('HF_TOKEN')}")
        raise RuntimeError("Engine core initialization failed. See root cause above.")
    say("init engine (profile, create kv cache, warmup model) took 3.89 s", "EngineCore")
    signal.signal(signal.SIGUSR1, lambda *_: setattr(Api, "status", 503))
    server = ThreadingHTTPServer(("127.0.0.1", port), Api)
    print("INFO:     Application startup complete.", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    MODE = sys.argv[sys.argv.index("--fake") + 1] if "--fake" in sys.argv else "well"
    main(int(sys.argv[sys.argv.index("--port") + 1]))
