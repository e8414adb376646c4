#!/usr/bin/env python3
"""An emulated training job: reads real samples through the mount, and computes by sleeping, as MLPerf Storage does.

Reader threads read whole samples with O_DIRECT into a bounded prefetch buffer; the training loop takes a batch, sleeps
for the time it would compute, and so on. Utilisation is compute time over wall time of the last 5 seconds. Serves
training metrics at /metrics and accelerator metrics, in DCGM's names, at /accelerator.

Commands on standard input, one a line:
    data FOLDER...          read these folders from now on
    checkpoints MB SECONDS  write a checkpoint of MB every SECONDS, beside the training loop; 0 stops
"""
import argparse
import collections
import http.server
import mmap
import os
import queue
import random
import socket
import sys
import threading
import time

BLOCK = 1024 * 1024
WINDOW = 5.0


class Epochs:
    """Hands out sample paths, every sample once an epoch, in random order."""

    def __init__(self, root, folders):
        self.root = root
        self.lock = threading.Lock()
        self.epoch = 0
        self.left = []
        self.use(folders)

    def use(self, folders):
        paths = [
            os.path.join(self.root, folder, name)
            for folder in folders
            for name in sorted(os.listdir(os.path.join(self.root, folder)))
        ]
        with self.lock:
            self.paths = paths
            self.left = []

    def next(self):
        with self.lock:
            if not self.left:
                self.left = random.sample(self.paths, len(self.paths))
                self.epoch += 1
            return self.left.pop()


class Trainer:
    def __init__(self, asked):
        self.asked = asked
        self.epochs = Epochs(asked.root, asked.data)
        self.prefetched = queue.Queue(maxsize=asked.prefetch)
        self.samples = 0
        self.read_bytes = 0
        self.errors = 0
        self.waited = 0.0
        self.computed = 0.0
        self.checkpoints = 0
        self.checkpoint_mb = 0
        self.checkpoint_every = 0.0
        self.spans = collections.deque()  # (start, end) of computing, the last few seconds
        self.lock = threading.Lock()

    def start(self):
        for _ in range(self.asked.readers):
            threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.save, daemon=True).start()
        threading.Thread(target=self.listen, daemon=True).start()
        # A real job fills its buffer before the first step.
        while self.prefetched.qsize() < self.asked.prefetch * 0.9:
            time.sleep(0.1)
        threading.Thread(target=self.train, daemon=True).start()

    def read(self):
        buffer = mmap.mmap(-1, 4 * BLOCK)  # aligned, as O_DIRECT wants
        while True:
            size = 0
            try:
                file = os.open(self.epochs.next(), os.O_RDONLY | os.O_DIRECT)
                try:
                    while True:
                        got = os.preadv(file, [buffer], size)
                        size += got
                        if got < len(buffer):
                            break
                finally:
                    os.close(file)
            except OSError:
                self.errors += 1
                time.sleep(0.1)
                continue
            with self.lock:
                self.read_bytes += size
            self.prefetched.put(size)

    def train(self):
        while True:
            asked_at = time.monotonic()
            for _ in range(self.asked.batch):
                self.prefetched.get()
            began = time.monotonic()
            time.sleep(self.asked.compute_ms / 1000)
            ended = time.monotonic()
            with self.lock:
                self.waited += began - asked_at
                self.computed += ended - began
                self.samples += self.asked.batch
                self.spans.append((began, ended))
                while self.spans and self.spans[0][1] < ended - 2 * WINDOW:
                    self.spans.popleft()

    def use(self):
        now = time.monotonic()
        with self.lock:
            busy = sum(max(0.0, end - max(start, now - WINDOW)) for start, end in self.spans)
        # The step under way is not in the list yet: its share is at most one step of five seconds.
        return min(1.0, busy / (WINDOW - self.asked.compute_ms / 2000))

    def save(self):
        kept = collections.deque()
        block = os.urandom(BLOCK)
        while True:
            every, megabytes = self.checkpoint_every, self.checkpoint_mb
            if not every:
                time.sleep(0.2)
                continue
            began = time.monotonic()
            path = os.path.join(self.asked.root, "checkpoints", f"step-{self.samples}")
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb", buffering=0) as file:
                    for _ in range(megabytes):
                        file.write(block)
                self.checkpoints += 1
                kept.append(path)
                if len(kept) > self.asked.keep:
                    os.unlink(kept.popleft())
            except OSError:
                self.errors += 1
            time.sleep(max(0.2, every - (time.monotonic() - began)))

    def listen(self):
        for line in sys.stdin:
            words = line.split()
            if words[:1] == ["data"]:
                self.epochs.use(words[1:])
            elif words[:1] == ["checkpoints"]:
                self.checkpoint_mb = int(words[1])
                self.checkpoint_every = float(words[2]) if self.checkpoint_mb else 0.0
            print("done", line.strip(), flush=True)

    def accelerators(self):
        use = round(100 * self.use())
        host = socket.gethostname()
        lines = [
            "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %). Emulated: compute time over wall time of 5 s.",
            "# TYPE DCGM_FI_DEV_GPU_UTIL gauge",
        ]
        for gpu in range(self.asked.accelerators):
            lines.append(
                f'DCGM_FI_DEV_GPU_UTIL{{gpu="{gpu}",UUID="GPU-emulated-{gpu}",device="nvidia{gpu}",'
                f'modelName="emulated",Hostname="{host}"}} {use}')
        return "\n".join(lines) + "\n"

    def training(self):
        job = f'{{job="{self.asked.job}"}}'
        with self.lock:
            rows = [
                ("training_samples_total", "counter", "Samples consumed.", self.samples),
                ("training_data_wait_seconds_total", "counter", "Time the loop waited for data.", self.waited),
                ("training_compute_seconds_total", "counter", "Time the loop computed.", self.computed),
                ("training_epoch", "gauge", "Pass over the data, the first is 1.", self.epochs.epoch),
                ("training_prefetch_queue_samples", "gauge", "Samples that wait.", self.prefetched.qsize()),
                ("training_read_bytes_total", "counter", "Bytes read.", self.read_bytes),
                ("training_read_errors_total", "counter", "Reads or saves that failed.", self.errors),
                ("training_checkpoints_total", "counter", "Checkpoints written.", self.checkpoints),
            ]
        return "".join(
            f"# HELP {name} {text}\n# TYPE {name} {kind}\n{name}{job} {value}\n" for name, kind, text, value in rows)


def serve(trainer, port):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            pages = {"/metrics": trainer.training, "/accelerator": trainer.accelerators}
            page = pages.get(self.path)
            body = (page() if page else "/metrics or /accelerator\n").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True, help="the mount point")
    parser.add_argument("--data", nargs="+", required=True, help="folders below it")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--job", default="lab")
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--compute-ms", type=float, default=200)
    parser.add_argument("--prefetch", type=int, default=1500, help="samples")
    parser.add_argument("--accelerators", type=int, default=2)
    parser.add_argument("--keep", type=int, default=3, help="checkpoints")
    asked = parser.parse_args()
    trainer = Trainer(asked)
    threading.Thread(target=serve, args=(trainer, asked.port), daemon=True).start()
    trainer.start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
