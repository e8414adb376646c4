#!/usr/bin/env python3
"""Thins a recording to what Onset reads, so that it is small enough to live beside the tests.

    src/test/recordings/thin.py [--every SECONDS] [--from MILLIS] [--to MILLIS] FULL_FOLDER SMALL_FOLDER

FULL_FOLDER holds trace.jsonl.gz, as `record` writes it. SMALL_FOLDER gets a trace.jsonl.gz of the same form with

* of each scrape only the series that MetricDictionary maps to a signal (its label filters included), without HELP and
  TYPE; disks and interfaces only if anything ever moved on them; of the cumulative buckets of a histogram every second
  (fewer bounds, still true), which also lets a step fit into the window that gzip looks back;
* of INFO only the fields that RedisReader and the rules read;
* scrapes and INFO once per SECONDS (default: all of them); what is probed finer than a step (pings, latency events, the
  slow log) stays complete, but unchanged repetitions of a latency history, a slow log or CONFIG are left out.

label.json is written by hand: id, expect, allow, allow_at_S4_only, t_start, t_cause, t_effect.
The same input gives the same bytes.
"""
import argparse
import gzip
import io
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
DICTIONARY = ROOT / "src/main/java/dev/onset/signals/MetricDictionary.java"
REDIS_READER = ROOT / "src/main/java/dev/onset/sources/RedisReader.java"

INFO_WORDS = {
    "redis_version", "valkey_version", "server_time_usec", "used_cpu_user", "used_cpu_sys",
    "used_cpu_user_main_thread", "used_cpu_sys_main_thread", "maxmemory_policy", "storage_provider",
    "aof_last_write_status", "rdb_last_bgsave_status", "role", "run_id", "maxclients",
}
SERIES = re.compile(r"^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})?\s+(\S+)")
LABEL = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"')


def mapped():
    """Metric name -> list of (label, values) filters; None where every series counts."""
    java = DICTIONARY.read_text()
    names = dict(re.findall(r'String (\w+) = "([^"]+)";', java))
    wanted = {}

    def name(expression):
        return "".join(names.get(part.strip(), part.strip().strip('"')) for part in expression.split("+"))

    for call, arguments in re.findall(r"\b(all|where|parts|use|histogram)\(((?:[^()]|\([^()]*\))*)\);", java):
        first, _, rest = arguments.partition(",")
        metric = name(first)
        if call == "where":
            label, values = re.search(r'"(\w+)",\s*Set\.of\(([^)]*)\)', rest).groups()
            wanted.setdefault(metric, []).append((label, set(re.findall(r'"([^"]+)"', values))))
        elif call == "histogram":
            for suffix in ("_sum", "_count", "_bucket"):
                if suffix != "_bucket" or "null" not in rest:
                    wanted.setdefault(metric + suffix, []).append(None)
        else:
            wanted.setdefault(metric, []).append(None)
    for metric in re.findall(r'mappings\.put\("([^"]+)"', java):
        wanted.setdefault(metric, []).append(None)
    return wanted


def keeps(filters, labels):
    return any(f is None or labels.get(f[0]) in f[1] for f in filters)


def moving(records):
    """Devices on which a counter changed between the first and the last scrape."""
    seen = {}
    moved = set()
    for record in records:
        if record["source"] == "node" and "body" in record:
            for line in record["body"].splitlines():
                found = SERIES.match(line)
                if found and found[1].startswith(("node_disk_", "node_network_")):
                    device = dict(LABEL.findall(found[2] or "")).get("device")
                    key = (found[1], device)
                    if seen.setdefault(key, found[3]) != found[3]:
                        moved.add(device)
    return moved


def exposition(body, wanted, moved):
    kept = []
    bounds = {}
    for line in body.splitlines():
        found = SERIES.match(line)
        if not found or found[1] not in wanted:
            continue
        labels = dict(LABEL.findall(found[2] or ""))
        if not keeps(wanted[found[1]], labels):
            continue
        if found[1].startswith(("node_disk_", "node_network_")) and labels.get("device") not in moved:
            continue
        if found[1].startswith("node_filesystem_") and not labels.get("device", "").startswith("/dev/"):
            continue
        if found[1].endswith("_bucket") and labels.get("le") != "+Inf":
            series = (found[1], tuple(sorted(item for item in labels.items() if item[0] != "le")))
            bounds[series] = bounds.get(series, 0) + 1
            if bounds[series] % 2:
                continue
        kept.append(line)
    return "\n".join(kept) + "\n"


def info(body, fields):
    kept = []
    for line in body.splitlines():
        key = line.partition(":")[0]
        if line.startswith("# Keyspace") or key in fields or re.match(r"db\d+:|cmdstat_", line):
            kept.append(line)
    return "\r\n".join(kept) + "\r\n"


def main():
    parser = argparse.ArgumentParser(description="Thins a recording to what Onset reads.")
    parser.add_argument("--every", type=int, default=0, help="seconds between scrapes that are kept")
    parser.add_argument("--from", dest="start", type=int, default=0, help="epoch ms of the first answer kept")
    parser.add_argument("--to", dest="end", type=int, default=1 << 62, help="epoch ms of the last answer kept")
    parser.add_argument("full", type=pathlib.Path)
    parser.add_argument("small", type=pathlib.Path)
    options = parser.parse_args()

    wanted = mapped()
    fields = INFO_WORDS | set(re.findall(r'fields\.put\("([^"]+)"', REDIS_READER.read_text()))
    with gzip.open(options.full / "trace.jsonl.gz", "rt") as trace:
        records = [json.loads(line) for line in trace]
    records = [record for record in records if options.start <= record["t"] <= options.end]
    moved = moving(records)
    last = {}
    written = {}
    lines = []
    for record in records:
        key = (record["source"], record["instance"], record["kind"])
        if options.every and record["kind"] in ("metrics", "info"):
            step = record["t"] // (options.every * 1000)
            if last.get(key) == step:
                continue
            last[key] = step
        if "body" in record:
            if record["kind"] == "metrics":
                record["body"] = exposition(record["body"], wanted, moved)
            elif record["kind"] == "info":
                record["body"] = info(record["body"], fields)
            elif record["kind"] in ("latency", "slowlog", "config"):
                if written.get(key) == record["body"]:
                    continue
                written[key] = record["body"]
        lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    options.small.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.write(("\n".join(lines) + "\n").encode())
    (options.small / "trace.jsonl.gz").write_bytes(out.getvalue())
    print(f"{options.small.name}: {len(records)} -> {len(lines)} answers, {len(out.getvalue())} bytes")


if __name__ == "__main__":
    main()
