"""A fleet of played mounts, and the programs that scrape it."""
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from machine import (HERE, ROOT, TARGET, cpu_of_threads, cpu_seconds, free_port, get, get_json, java, memory_mb, samples, start,
                     stop, tool, wait_for)

GROUP = 100


def address(mount):
    """Where a mount is asked: see Fleet.java."""
    low = mount % 62_500
    return f"127.{1 + mount // 62_500}.{low // 250}.{low % 250 + 1}"


def accelerator_address(group):
    return f"127.200.{group // 250}.{group % 250 + 1}"


class Fleet:
    def __init__(self, folder, mounts, options=()):
        self.mounts = mounts
        self.groups = (mounts + GROUP - 1) // GROUP
        self.port = free_port()
        classes = compiled("fleet")
        self.log = os.path.join(folder, "fleet.log")
        self.process = start(
            [java(), "-Xmx192m", "-Xss256k", "-XX:+UseSerialGC", "-cp", classes, "dev.onset.bench.Fleet", os.path.join(HERE, "fleet"),
             "--port", str(self.port), "--mounts", str(mounts), *options], log=self.log)
        wait_for("the fleet", self.figures)

    def figures(self):
        return get_json(f"http://127.0.0.1:{self.port}/fleet")

    def targets(self):
        return [f"{address(mount)}:{self.port}" for mount in range(self.mounts)]

    def accelerators(self):
        return [f"{accelerator_address(group)}:{self.port}" for group in range(self.groups)]


def compiled(name, *classpath, newer_than=None):
    """The classes of bench/NAME; compiled where they are missing or older."""
    sources = glob.glob(os.path.join(HERE, name, "**", "*.java"), recursive=True)
    classes = os.path.join(TARGET, name)
    stamp = os.path.join(classes, ".compiled")
    newest = max(os.path.getmtime(path) for path in [*sources, *([newer_than] if newer_than else [])])
    if not os.path.exists(stamp) or os.path.getmtime(stamp) < newest:
        shutil.rmtree(classes, ignore_errors=True)
        os.makedirs(classes)
        options = ["-cp", os.pathsep.join(classpath)] if classpath else ["-proc:none"]
        done = subprocess.run(
            [tool("javac"), "--release", "17", "-Xlint:all,-processing,-classfile", "-d", classes, *options, *sources])
        if done.returncode:
            sys.exit(f"bench/{name} does not compile")
        open(stamp, "w").close()
    return classes


class Service:
    """A program that scrapes the fleet."""

    def cpu(self):
        return cpu_seconds(self.process.pid)

    def rss(self):
        return memory_mb(self.process.pid)

    def peak(self):
        return memory_mb(self.process.pid, "VmHWM")

    def threads(self):
        return cpu_of_threads(self.process.pid)

    def stop(self):
        stop(self.process)

    def ended(self):
        return self.process.poll() is not None

    def ask(self, query, at):
        """The one number that a PromQL query gives."""
        answer = get_json(self.url + "/api/v1/query?" + urllib.parse.urlencode({"query": query, "time": at}), 60)
        found = answer["data"]["result"]
        return float(found[0]["value"][1]) if found else 0.0

    def log_tail(self):
        with open(self.log, errors="replace") as file:
            return "".join(file.readlines()[-20:])


class Onset(Service):
    name = "Onset"

    def __init__(self, folder, fleet, step=15, java_options=""):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.step = step
        self.log = os.path.join(folder, "onset.log")
        config = os.path.join(folder, "onset.yml")
        with open(config, "w") as file:
            file.write(f"onset:\n  step: {step}s\n  data: {folder}/data\n  groups:\n")
            targets, accelerators = fleet.targets(), fleet.accelerators()
            for group in range(fleet.groups):
                mine = targets[group * GROUP:(group + 1) * GROUP]
                file.write(f"    - job: job-{group:04d}\n      juicefs: {json.dumps(mine)}\n")
                file.write(f"      accelerator: {json.dumps(accelerators[group:group + 1])}\n")
        began = time.monotonic()
        self.process = start(
            [os.path.join(ROOT, "bin", "onset"), "serve", "--config", config, "--web.listen-address", f"127.0.0.1:{self.port}"],
            log=self.log, cwd=folder, env={"ONSET_JAVA_OPTS": java_options} if java_options else None)
        # First it answers; it calls itself ready when it has judged a step, for which it waits until the next one begins.
        while not self.answers() and time.monotonic() < began + 120:
            time.sleep(0.02)
        self.answered_after = time.monotonic() - began
        wait_for("Onset", self.ready, 120)
        self.ready_after = time.monotonic() - began

    def answers(self):
        if self.ended():
            sys.exit("Onset ended:\n" + self.log_tail())
        try:
            return get(self.url + "/-/healthy") is not None
        except OSError:
            return False

    def ready(self):
        if self.ended():
            sys.exit("Onset ended:\n" + self.log_tail())
        return get(self.url + "/-/ready") is not None

    def metrics(self):
        """Its own metrics, without the signals."""
        return [row for row in samples(get(self.url + "/metrics", 30)) if row[0].startswith(("onset_", "jvm_", "process_"))]

    def jcmd(self, *command):
        subprocess.run([tool("jcmd"), str(self.process.pid), *command], stdout=subprocess.DEVNULL, check=True)

    def heap_in_use(self):
        """Megabytes after a full collection."""
        self.jcmd("GC.run")
        return sum(value for name, labels, value in self.metrics()
                   if name == "jvm_memory_used_bytes" and 'area="heap"' in labels) / 1e6


class Page(threading.Thread):
    """An open page: listens to the stream and asks what the page asks whenever a step was judged."""

    def __init__(self, onset):
        super().__init__(daemon=True)
        self.url = onset.url
        self.step = onset.step
        self.ticks = []  # (end of the step, when we were told)
        self.asked = 0
        self.slowest = 0.0
        self.trouble = []
        self.start()

    def run(self):
        while True:
            try:
                self.listen()
            except OSError as error:
                self.trouble.append(str(error))
                time.sleep(1)

    def listen(self):
        self.ask()
        with urllib.request.urlopen(self.url + "/api/v1/events", timeout=120) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    told = time.time()
                    at = json.loads(line[5:])["at"].replace("Z", "+00:00")
                    self.ticks.append((parse_time(at), told))
                    self.ask()

    def ask(self):
        status = json.loads(self.fetch("/status?lang=en") or "{}")
        self.fetch("/diagnoses?state=open&order=worst&perRule=10&limit=50&lang=en")
        self.fetch("/diagnoses?state=resolved&limit=6&lang=en")
        mounts = [scope for scope in status.get("scopes", []) if scope["kind"] == "mount"]
        if mounts and status["lastStep"]:
            end = parse_time(status["lastStep"].replace("Z", "+00:00"))
            hour = {"from": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(end - 3600)), "to": status["lastStep"]}
            lanes = "util,miss_bps,get_lat,stage_w,rtt_max,dev_q"
            self.fetch("/timeline?" + urllib.parse.urlencode({**mounts[0], **hour, "signals": lanes, "lang": "en"}))

    def fetch(self, path):
        """What is answered; None for a failure, which is noted."""
        began = time.monotonic()
        request = urllib.request.Request(self.url + "/api/v1" + path, headers={"Accept-Encoding": "gzip"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                body = answer.read()
                return gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body
        except OSError as error:
            self.trouble.append(f"{path}: {error}")
            return None
        finally:
            self.asked += 1
            self.slowest = max(self.slowest, time.monotonic() - began)

    def cycles(self, since=0.0):
        """Seconds from the begin of a step until its judgement was told."""
        return [told - (end - self.step) for end, told in list(self.ticks) if told >= since]


def parse_time(text):
    import datetime
    return datetime.datetime.fromisoformat(text).timestamp()


class Prometheus(Service):
    name = "Prometheus"

    def __init__(self, folder, fleet, step=15):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = os.path.join(folder, "prometheus.log")
        config = os.path.join(folder, "prometheus.yml")
        write_scrape_config(config, fleet, step)
        self.process = start(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/prometheus",
             f"--web.listen-address=127.0.0.1:{self.port}"], log=self.log, cwd=folder)
        wait_for("Prometheus", lambda: get(self.url + "/-/ready") is not None, 60)


class VictoriaMetrics(Service):
    name = "VictoriaMetrics"

    def __init__(self, folder, fleet, step=15):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = os.path.join(folder, "victoria-metrics.log")
        config = os.path.join(folder, "victoria-metrics.yml")
        write_scrape_config(config, fleet, step)
        self.process = start(
            ["victoria-metrics", f"-promscrape.config={config}", f"-storageDataPath={folder}/victoria-metrics",
             f"-httpListenAddr=127.0.0.1:{self.port}"], log=self.log, cwd=folder)
        wait_for("VictoriaMetrics", lambda: get(self.url + "/health") is not None, 60)


def write_scrape_config(path, fleet, step):
    with open(path, "w") as file:
        file.write(f"global: {{scrape_interval: {step}s, scrape_timeout: 10s}}\nscrape_configs:\n")
        for name, targets in ("juicefs", fleet.targets()), ("accelerators", fleet.accelerators()):
            file.write(f"  - job_name: {name}\n    honor_labels: true\n    static_configs:\n      - targets: {json.dumps(targets)}\n")


def recorded_body():
    with gzip.open(os.path.join(HERE, "fleet", "mount-55s.txt.gz")) as file:
        return file.read()
