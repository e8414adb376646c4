"""Sums up a recording of the JVM's profiler."""
import re
import subprocess
from collections import Counter

from machine import tool

FRAME = re.compile(r"^\s+([\w.$/<>]+)\(.*\)\s*line:", re.M)


def frames(event):
    inside = event[event.find("stackTrace = ["):]
    return FRAME.findall(inside)


def events(recording, kind):
    """Each as text; a stack has its innermost frame first."""
    printer = subprocess.Popen(
        [tool("jfr"), "print", "--stack-depth", "48", "--events", kind, recording], stdout=subprocess.PIPE, text=True)
    event = []
    for line in printer.stdout:
        if line.startswith("jdk."):
            event = []
        event.append(line)
        if line.startswith("}"):
            yield "".join(event)
    printer.wait()


def ours(stack):
    """The innermost frame of ours: who caused it."""
    for frame in stack:
        if frame.startswith("dev.onset."):
            return frame
    return None


def package(frame):
    """Of our classes the package, of others enough of it to tell libraries apart."""
    parts = frame.split(".")
    if frame.startswith("dev.onset"):
        return ".".join(part for part in parts[:-1] if part[:1].islower())
    return ".".join(parts[:3] if parts[0] in ("org", "com", "io") else parts[:2])


def caller(stack):
    found = ours(stack)
    return package(found) if found else "(" + (package(stack[-2] if len(stack) > 1 else stack[-1])) + ")"


def simple(frame):
    parts = frame.split(".")
    return ".".join(parts[-2:])


def table(title, counted, unit, most=14):
    total = sum(counted.values()) or 1
    lines = [f"{title} ({unit})"]
    lines += [f"  {100 * amount / total:5.1f} %  {name}" for name, amount in counted.most_common(most)]
    return "\n".join(lines)


def weight(event):
    found = re.search(r"weight = ([\d.]+) (\w+)", event)
    return float(found[1]) * {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}.get(found[2], 1) if found else 0


def summary(recording):
    by_package, by_method, hottest = Counter(), Counter(), Counter()
    for event in events(recording, "jdk.ExecutionSample"):
        stack = frames(event)
        if stack:
            by_package[caller(stack)] += 1
            hottest[simple(stack[0])] += 1
            if ours(stack):
                by_method[simple(ours(stack))] += 1
    allocated, allocating = Counter(), Counter()
    for event in events(recording, "jdk.ObjectAllocationSample"):
        stack = frames(event)
        if stack:
            allocated[caller(stack)] += weight(event)
            if ours(stack):
                allocating[simple(ours(stack))] += weight(event)
    total = sum(allocated.values())
    return "\n".join([
        table("CPU of Java code by package of ours that asked for it", by_package, f"{sum(by_package.values())} samples"),
        table("CPU by method of ours", by_method, "with what it calls outside of ours"),
        table("CPU by innermost method", hottest, "whosever"),
        table("Allocation by package of ours", allocated, f"{total / 1e6:,.0f} MB"),
        table("Allocation by method of ours", allocating, "with what it calls outside of ours")])
