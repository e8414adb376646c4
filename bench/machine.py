"""What every bench needs: processes that end with us, their CPU and memory, the machine in words, and the verdict."""
import atexit
import datetime
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TARGET = os.path.join(ROOT, "target", "bench")
sys.path.insert(0, os.path.join(ROOT, "lab"))
from world import die_with_parent, free_port, get, stop, wait_for  # noqa: E402, F401

TICKS = os.sysconf("SC_CLK_TCK")


def ends_cleanly():
    """Interrupted or told to end, a bench stops its children and removes its folders like one that is done."""

    def end(number, frame):
        sys.exit(128 + number)

    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, end)
    # Ten thousand connections on both sides.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def folder():
    """Gone when the bench ends, or when the next one begins if it was killed."""
    for old in glob.glob(os.path.join(tempfile.gettempdir(), "onset-bench-*-*")):
        owner = os.path.basename(old).split("-")[2]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(old, ignore_errors=True)
    made = tempfile.mkdtemp(prefix=f"onset-bench-{os.getpid()}-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def start(command, log=None, env=None, cwd=None, stdout=None):
    """Ends with us, however we end. Talks to the log, or nowhere; to a pipe where that is asked for."""
    out = open(log, "ab") if log else subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=stdout or out, stderr=None if stdout else out, cwd=cwd, env={**os.environ, **(env or {})},
        start_new_session=True, preexec_fn=die_with_parent)
    if log:
        out.close()
    atexit.register(stop, process)
    return process


def java():
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"


def tool(name):
    """Of the same JDK as java."""
    found = shutil.which(java())
    beside = os.path.join(os.path.dirname(os.path.realpath(found)), name) if found else ""
    if not os.path.exists(beside):
        sys.exit(f"{name} is missing beside {found or 'java'}: the benches need a JDK")
    return beside


def java_name():
    return subprocess.run([java(), "-version"], capture_output=True, text=True).stderr.splitlines()[0]


def need(**packages):
    """Programs by their Debian packages: installed when we may, named otherwise."""
    missing = [package for program, package in packages.items() if not program_path(program.replace("_", "-"))]
    if not missing:
        return
    if os.geteuid() != 0:
        sys.exit(f"missing: {' '.join(missing)}; install them, or run this as root")
    print(f"installing {' '.join(missing)}")
    # Debian starts services on installation; the benches start their own.
    policy = "/usr/sbin/policy-rc.d"
    made = not os.path.exists(policy)
    if made:
        with open(policy, "w") as file:
            file.write("#!/bin/sh\nexit 101\n")
        os.chmod(policy, 0o755)
    try:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True,
            stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    finally:
        if made:
            os.remove(policy)


def program_path(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def build():
    """The jar that is measured: bin/onset builds it where there is none or its sources are newer."""
    done = subprocess.run(
        [os.path.join(ROOT, "bin", "onset"), "check-config", os.path.join(ROOT, "config", "onset.yml")],
        stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit("Onset could not be built")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_of_threads(pid):
    """CPU seconds by thread name; numbers in the names are left out, so that a pool is one line."""
    threads = {}
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/stat") as file:
                text = file.read()
            name = re.sub(r"(?<=.)[-#]\d.*$", "", text[text.index("(") + 1:text.rindex(")")]).strip()
            fields = text.rsplit(")", 1)[1].split()
            threads[name] = threads.get(name, 0) + (int(fields[11]) + int(fields[12])) / TICKS
    except OSError:
        pass  # a thread ended while we looked
    return threads


def memory_mb(pid, what="VmRSS"):
    """VmRSS is the memory in use now, VmHWM the most there ever was."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(what + r":\s+(\d+)", file.read())[1]) / 1024


def machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    with open("/proc/meminfo") as file:
        memory = int(re.search(r"MemTotal:\s+(\d+)", file.read())[1]) / (1 << 20)
    return f"{os.cpu_count()} × {model[1].strip() if model else os.uname().machine}, {memory:.0f} GB"


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def get_json(url, timeout=10):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return json.load(answer)


def samples(text):
    """Exposition text as a list of (name, labels, value); only for programs we know."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            head, value = line.rsplit(" ", 1)
            name, _, labels = head.partition("{")
            found.append((name, labels.rstrip("}"), float(value)))
    return found


class Verdict:
    """Collects figures with their bars, prints them, and ends with one line: pass, or short and by how much."""

    def __init__(self, name, note=""):
        self.name = name
        self.note = note
        self.misses = []
        self.rows = []

    def figure(self, what, value, unit="", most=None, least=None, digits=2):
        bar = f"≤ {most:g}" if most is not None else f"≥ {least:g}" if least is not None else ""
        shown = "n/a" if value is None else f"{value:,.{digits}f}"
        print(f"{what:<58} {shown:>14} {unit:<6} {'bar ' + bar if bar else ''}".rstrip(), flush=True)
        self.rows.append({"what": what, "value": value, "unit": unit, "bar": bar})
        if not bar:
            return
        if value is None:
            self.misses.append(f"{what}: could not be measured")
        elif most is not None and value > most:
            self.misses.append(f"{what}: {shown} instead of {bar}" + (f" ({value / most:.2f}×)" if most else ""))
        elif least is not None and value < least:
            self.misses.append(f"{what}: {shown} instead of {bar} ({100 * value / least:.0f} %)")

    def end(self):
        now = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
        print(f"{self.name}: {now}, {machine()}, {java_name()}, commit {commit()}{', ' + self.note if self.note else ''}")
        os.makedirs(TARGET, exist_ok=True)
        with open(os.path.join(TARGET, self.name + ".json"), "w") as file:
            json.dump({"name": self.name, "at": now, "machine": machine(), "commit": commit(), "note": self.note,
                       "figures": self.rows, "short": self.misses}, file, indent=1, ensure_ascii=False)
        print("short: " + "; ".join(self.misses) if self.misses else "pass")
        return 1 if self.misses else 0
