"""What runs inside one JVM: parser, timeline, judge (JMH), and replay."""
import glob
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile

from fleets import compiled
from machine import HERE, ROOT, TARGET, Verdict, build, folder, java, start

# What the naive parser does on the machine that the bars were set on, in GB/s.
NAIVE_THERE = 0.9


def application():
    """The classes of the product and its libraries, taken out of its jar."""
    build()
    jar, where = os.path.join(ROOT, "target", "onset.jar"), os.path.join(TARGET, "application")
    stamp = os.path.join(where, ".taken")
    if not os.path.exists(stamp) or os.path.getmtime(stamp) < os.path.getmtime(jar):
        shutil.rmtree(where, ignore_errors=True)
        with zipfile.ZipFile(jar) as file:
            file.extractall(where, [name for name in file.namelist() if name.startswith("BOOT-INF/")])
        open(stamp, "w").close()
    return [os.path.join(where, "BOOT-INF", "classes"), *sorted(glob.glob(os.path.join(where, "BOOT-INF", "lib", "*.jar")))]


def jmh():
    """Its jars, by way of Maven."""
    where = os.path.join(TARGET, "jmh")
    pom = os.path.join(HERE, "pom.xml")
    stamp = os.path.join(where, ".copied")
    if not os.path.exists(stamp) or os.path.getmtime(stamp) < os.path.getmtime(pom):
        done = subprocess.run(
            [os.path.join(ROOT, "mvnw"), "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={where}"],
            cwd=ROOT, stdout=sys.stderr)
        if done.returncode:
            sys.exit("JMH could not be fetched")
        open(stamp, "w").close()
    return sorted(glob.glob(os.path.join(where, "*.jar")))


def classpath():
    parts = [compiled("fleet"), *application(), *jmh()]
    stamp = os.path.join(TARGET, "application", ".taken")
    return os.pathsep.join([compiled("micro", *parts, newer_than=stamp), *parts])


def run_java(main, *arguments, options=("-Xmx2g",)):
    process = start([java(), *options, f"-Dbench.fleet={os.path.join(HERE, 'fleet')}", "-cp", classpath(), main, *arguments],
                    log=None, stdout=subprocess.PIPE)
    out = process.communicate()[0].decode()
    if process.returncode:
        sys.exit(f"{main} failed:\n{out}")
    return out


def run_jmh(pattern, quick, warm=3, rounds=5, profilers=("gc",)):
    """Nanoseconds and bytes an operation, by the name of the method."""
    result = os.path.join(folder(), "jmh.json")
    print(f"running {pattern}{', quick' if quick else ''}", flush=True)
    options = ["-f", "1", "-wi", str(1 if quick else warm), "-i", str(1 if quick else rounds), "-w", "1", "-r", "1", "-rf", "json",
               "-rff", result, "-v", "SILENT", "-jvmArgs", f"-Xmx2g -Dbench.fleet={os.path.join(HERE, 'fleet')}"]
    for profiler in profilers:
        options += ["-prof", profiler]
    run_java("org.openjdk.jmh.Main", pattern, *options)
    with open(result) as file:
        found = json.load(file)
    return {
        one["benchmark"].rsplit(".", 1)[1]: (
            one["primaryMetric"]["score"],
            one["secondaryMetrics"].get("gc.alloc.rate.norm", one["secondaryMetrics"].get("·gc.alloc.rate.norm", {})).get("score"))
        for one in found}


def parser(asked):
    from fleets import recorded_body
    verdict = Verdict("parser", "JMH, one answer of 79 kB with 415 samples")
    found = run_jmh("ParserBench", asked.quick)
    size = len(recorded_body())
    speed = {name: size / nanos for name, (nanos, _) in found.items()}
    scale = speed["naive"] / NAIVE_THERE
    verdict.figure("naive: lines, strings, a map", speed["naive"], "GB/s")
    verdict.figure("tokeniser after Prometheus' manner, in Java", speed["tokeniser"], "GB/s")
    print(f"bars are scaled to this machine by the naive parser: {scale:.2f} of {NAIVE_THERE} GB/s")
    verdict.figure("unchanged layout, what the dictionary knows", speed["unchanged"], "GB/s", least=round(8 * scale, 2))
    verdict.figure("unchanged layout, every sample", speed["unchangedAll"], "GB/s")
    verdict.figure("unchanged layout, times the naive parser", speed["unchanged"] / speed["naive"], "×", digits=1)
    verdict.figure("first sight", speed["firstSight"], "GB/s", least=round(1.2 * scale, 2))
    verdict.figure("allocated for an unchanged answer", round(found["unchanged"][1]), "bytes", most=0, digits=0)
    verdict.figure("allocated for a first sight", found["firstSight"][1], "bytes", digits=0)
    return verdict.end()


def timeline(asked):
    verdict = Verdict("timeline", "JMH, one group of 100 mounts and 16 accelerators, two hours kept")
    nanos, allocated = run_jmh("TimelineBench", asked.quick)["place"]
    memory = json.loads(run_java("dev.onset.bench.CellMemory"))
    cells = memory["cellsPerMount"]
    # All answers of 10,000 mounts, in a tick that has one second for judging and five in all.
    verdict.figure("place the answers of 100 mounts and close the step", nanos / 1e6, "ms", most=10)
    verdict.figure("cells of a mount", cells, digits=0)
    verdict.figure("a cell placed", nanos / 100 / cells, "ns", digits=0)
    verdict.figure("memory of a cell", memory["bytesPerCell"], "bytes", most=12, digits=1)
    verdict.figure("so 10,000 mounts for two hours", memory["bytesPerCell"] * cells * 480 * 10_000 / 1e9, "GB")
    return verdict.end()


def judge(asked):
    verdict = Verdict("judge", "JMH, all rules, one group of 100 mounts and 16 accelerators with two hours behind it")
    nanos, allocated = run_jmh("JudgeBench", asked.quick)["judge"]
    verdict.figure("all rules over 100 mounts", nanos / 1e6, "ms", most=10)
    verdict.figure("so over 10,000 mounts", nanos / 1e7, "s", most=1)
    verdict.figure("allocated for it", allocated / 1e6, "MB")
    return verdict.end()


def replay(asked):
    verdict = Verdict("replay", f"{asked.mounts} mounts for {asked.steps} steps")
    engine = json.loads(run_java("dev.onset.ReplayBench", str(asked.mounts), str(asked.steps)))
    verdict.figure("engine only, answers in memory", engine["samplesPerSecond"] / 1e6, "M/s", least=5)
    where = folder()
    trace = os.path.join(where, "trace.jsonl.gz")
    samples = json.loads(run_java("dev.onset.bench.RecordedFleet", trace, str(asked.mounts), str(4 * asked.steps)))["samples"]
    unzip, whole = [], []
    for _ in range(3):
        began = time.monotonic()
        subprocess.run(["gunzip", "-c", trace], stdout=subprocess.DEVNULL, check=True)
        unzip.append(time.monotonic() - began)
        began = time.monotonic()
        subprocess.run([os.path.join(ROOT, "bin", "onset"), "replay", where], stdout=subprocess.DEVNULL, check=True)
        whole.append(time.monotonic() - began)
    verdict.figure(f"gunzip -c of a recording of {os.path.getsize(trace) / 1e6:.0f} MB", min(unzip), "s")
    verdict.figure("bin/onset replay of it, from start to end", min(whole), "s")
    verdict.figure("bin/onset replay, times gunzip", min(whole) / min(unzip), "×", most=1)
    verdict.figure("bin/onset replay", samples / min(whole) / 1e6, "M/s")
    return verdict.end()
