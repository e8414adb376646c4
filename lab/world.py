"""The small cluster of the lab: a Redis, an object store with latency, a JuiceFS mount, a node exporter, a trainer."""
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from redis_client import Redis
from slow_disk import SlowDisk

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = 256 * 1024
# Set 1 fits the cache of 500 MiB, both together do not.
SETS = {"set-1": 1600, "set-2": 2400}
CACHE_MIB = 500


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url, timeout=5):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return answer.read().decode()


def wait_for(what, check, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if check():
                return
        except (OSError, RuntimeError):
            pass
        time.sleep(0.2)
    raise RuntimeError(f"{what} did not happen within {seconds} s")


def forget_pages(path):
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return  # uploaded in the meantime
    try:
        os.fdatasync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError:
        pass
    finally:
        os.close(file)


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class World:
    """Starts everything in a temporary folder, and leaves nothing behind. Use with "with"."""

    def __init__(self, name, writeback=False, say=print):
        self.name = name
        self.writeback = writeback
        self.say = say
        self.folder = tempfile.mkdtemp(prefix=f"onset-lab-{name}-")
        self.host = socket.gethostname()
        self.processes = []
        self.disk = None
        self.mount_point = os.path.join(self.folder, "mnt")
        self.store_settings = os.path.join(self.folder, "store.json")
        self.redis_port, self.store_port, self.proxy_port = free_port(), free_port(), free_port()
        self.mount_port, self.node_port, self.trainer_port = free_port(), free_port(), free_port()

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *ignored):
        self.remove()

    def build(self):
        os.makedirs(self.mount_point)
        self.start_redis()
        self.start_store()
        self.start_mount()
        self.start_node_exporter()
        self.fill()
        self.start_trainer()

    def start(self, name, *command, env=None, stdin=subprocess.DEVNULL, stdout=None, cwd=None):
        log = open(os.path.join(self.folder, name + ".log"), "ab")
        process = subprocess.Popen(
            command, stdin=stdin, stdout=stdout or log, stderr=log, cwd=cwd or self.folder,
            env={**os.environ, **(env or {})}, start_new_session=True, preexec_fn=die_with_parent)
        log.close()
        self.processes.append((name, process))
        return process

    def once(self, *command, env=None):
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env={**os.environ, **(env or {})}, timeout=120)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")

    def start_redis(self):
        self.start(
            "redis", "redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "no", "--latency-monitor-threshold", "5", "--dir", self.folder)
        wait_for("Redis", lambda: Redis(self.redis_port)("PING") == "PONG")

    def start_store(self):
        # The gateway keeps its own metadata in SQLite, so that the Redis under observation serves the mount alone.
        meta = f"sqlite3://{self.folder}/store.db"
        keys = {"MINIO_ROOT_USER": "onset-lab", "MINIO_ROOT_PASSWORD": "onset-lab-secret"}
        self.once(
            "juicefs", "format", meta, "store", "--storage", "file", "--bucket", self.folder + "/objects/",
            "--trash-days", "0")
        self.start(
            "store", "juicefs", "gateway", meta, f"127.0.0.1:{self.store_port}", "--no-usage-report", "--no-banner",
            "--cache-size", "0", "--cache-dir", self.folder + "/store-cache", "--backup-meta", "0",
            "--metrics", f"127.0.0.1:{free_port()}", env=keys)
        self.store(delay_ms=0)
        self.start(
            "proxy", sys.executable, os.path.join(HERE, "store_proxy.py"), "--listen", str(self.proxy_port),
            "--upstream", str(self.store_port), "--settings", self.store_settings)
        wait_for("the object store", lambda: get(f"http://127.0.0.1:{self.store_port}/minio/health/live") is not None)
        wait_for("the store's proxy", lambda: socket.create_connection(("127.0.0.1", self.proxy_port), 1).close() is None)
        self.keys = keys

    def store(self, delay_ms=60, put_mb_per_s=0, get_mb_per_s=0, error_share=0.0):
        """How the object store behaves from now on."""
        beside = self.store_settings + ".new"
        with open(beside, "w") as file:
            json.dump(
                {"delay_ms": delay_ms, "put_mb_per_s": put_mb_per_s, "get_mb_per_s": get_mb_per_s,
                 "error_share": error_share}, file)
        os.replace(beside, self.store_settings)

    def start_mount(self):
        meta = f"redis://127.0.0.1:{self.redis_port}/1"
        self.once(
            "juicefs", "format", meta, "lab", "--storage", "s3",
            "--bucket", f"http://127.0.0.1:{self.proxy_port}/store",
            "--access-key", self.keys["MINIO_ROOT_USER"], "--secret-key", self.keys["MINIO_ROOT_PASSWORD"],
            "--trash-days", "0")
        options, env, cache = ["--cache-size", str(CACHE_MIB)], {}, os.path.join(self.folder, "cache")
        if self.writeback:
            self.disk = SlowDisk(self.folder, os.path.basename(self.folder), 6 * 1024)
            options = ["--cache-size", "3500", "--writeback", "--max-uploads", "8"]
            # Cached blocks must come from the disk, as they do where the data set is larger than the memory.
            env = {"JFS_DROP_OSCACHE": "1"}
            cache = os.path.join(self.disk.path, "cache")
        mount = self.start(
            "mount", "sh", "-c", 'read -r go && exec "$@"', "sh",
            "juicefs", "mount", meta, self.mount_point, "--cache-dir", cache, "--no-usage-report", "--no-syslog",
            "--backup-meta", "0", "--metrics", f"127.0.0.1:{self.mount_port}", *options,
            env=env, stdin=subprocess.PIPE)
        if self.disk:
            self.disk.hold(mount.pid)
        mount.stdin.write(b"go\n")
        mount.stdin.close()
        wait_for("the mount", lambda: os.path.ismount(self.mount_point))
        wait_for("the mount's metrics", lambda: get(self.url("juicefs")))

    def start_node_exporter(self):
        collectors = ["cpu", "diskstats", "filesystem", "loadavg", "meminfo", "netdev", "stat", "time", "timex", "uname", "vmstat"]
        self.start(
            "node", "prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{self.node_port}",
            "--collector.disable-defaults", *(f"--collector.{collector}" for collector in collectors),
            # Loop devices count here: the cache disk is one.
            "--collector.diskstats.device-exclude=^(ram|fd)\\d+$",
            "--collector.filesystem.fs-types-exclude=^(fuse.*|proc|sysfs|tmpfs|devpts|devtmpfs|cgroup2?|overlay|squashfs|mqueue|debugfs|tracefs|securityfs|bpf|autofs)$",
            "--collector.filesystem.mount-points-exclude=^/(dev|proc|sys|run)($|/)")
        wait_for("the node exporter", lambda: get(self.url("node")))

    def fill(self):
        """The larger set first: what is read at the start was written last, and so is in the cache."""
        self.say("  writing the samples")
        for name, count in sorted(SETS.items(), reverse=True):
            folder = os.path.join(self.mount_point, name)
            os.makedirs(folder)
            data = os.urandom(SAMPLE)

            def write(number):
                with open(os.path.join(folder, f"{number:05}"), "wb") as file:
                    file.write(number.to_bytes(8, "big") + data[8:])

            with ThreadPoolExecutor(16) as pool:
                list(pool.map(write, range(count)))
        self.settle()
        self.store()

    def settle(self):
        """Waits until everything staged is uploaded."""
        wait_for("the upload", lambda: self.metric("juicefs", "juicefs_staging_blocks") == 0, 180)

    def forget_staged_pages(self):
        """From now on, staged blocks leave the page cache soon: what waits long for its upload is read from the disk.

        On a machine whose memory is full of training that happens by itself; JFS_DROP_OSCACHE does it for reads only.
        """

        def forget():
            while self.disk and self.disk.mounted:
                for folder, _, names in os.walk(self.disk.path):
                    if "rawstaging" in folder:
                        for name in names:
                            forget_pages(os.path.join(folder, name))
                time.sleep(0.4)

        threading.Thread(target=forget, daemon=True).start()

    def start_trainer(self):
        self.trainer = self.start(
            "trainer", sys.executable, os.path.join(HERE, "trainer.py"), "--root", self.mount_point, "--data", "set-1",
            "--port", str(self.trainer_port), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=lambda: self.trainer.stdout.read(), daemon=True).start()
        wait_for("training", lambda: self.use() > 0.9, 120)

    def tell_trainer(self, command):
        self.trainer.stdin.write(command.encode() + b"\n")
        self.trainer.stdin.flush()

    def url(self, kind):
        port = {"juicefs": self.mount_port, "node": self.node_port}.get(kind, self.trainer_port)
        return f"http://127.0.0.1:{port}/" + ("accelerator" if kind == "accelerator" else "metrics")

    def metric(self, kind, name):
        """Sum over all series of that name."""
        total = 0.0
        for line in get(self.url(kind)).splitlines():
            if line.startswith(name + "{") or line.startswith(name + " "):
                total += float(line.rsplit(" ", 1)[1])
        return total

    def use(self):
        """Utilisation, 0 to 1."""
        return self.metric("accelerator", "DCGM_FI_DEV_GPU_UTIL") / 200

    def redis(self):
        return Redis(self.redis_port)

    def targets(self):
        return {
            "juicefs": f"127.0.0.1:{self.mount_port}", "node": f"127.0.0.1:{self.node_port}",
            "training": f"127.0.0.1:{self.trainer_port}", "accelerator": self.url("accelerator"),
            "redis": f"redis://127.0.0.1:{self.redis_port}/1",
        }

    def log(self, name):
        with open(os.path.join(self.folder, name + ".log"), errors="replace") as file:
            return file.read()

    def remove(self):
        stop_first = ["onset", "recorder", "prometheus", "trainer"]
        order = sorted(self.processes, key=lambda entry: stop_first.index(entry[0]) if entry[0] in stop_first else 9)
        for name, process in order:
            if name == "mount":
                self.unmount()
            stop(process)
        self.unmount()
        if self.disk:
            self.disk.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def unmount(self):
        if os.path.ismount(self.mount_point):
            subprocess.run(["umount", "-l", self.mount_point], capture_output=True)


def stop(process):
    for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
            break
        except subprocess.TimeoutExpired:
            continue
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
