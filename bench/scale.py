"""Many mounts: what Onset makes of them, alone and beside others."""
import sys
import time

from fleets import GROUP, Fleet, Onset, Page
from machine import Verdict, build, folder

STEP = 15


def fleet_options(asked):
    options = ["--bad", str(asked.bad), "--incidents", str(asked.incidents)]
    if asked.odd:
        options += ["--odd", asked.odd, "--odd-share", str(asked.odd_share)]
    return options


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else None


def bucket_quantile(buckets, q):
    """The upper end of the bucket that holds the quantile; None of nothing."""
    total = max(buckets.values(), default=0)
    return next((le for le in sorted(buckets) if buckets[le] >= q * total), None) if total else None


class Run:
    """Onset with an open page before a fleet; measured from one judged step to another."""

    def __init__(self, mounts, options=(), step=STEP, java_options="", say=print):
        build()
        self.folder = folder()
        self.step = step
        self.fleet = Fleet(self.folder, mounts, options)
        self.onset = Onset(self.folder, self.fleet, step, java_options)
        self.page = Page(self.onset)
        self.say = say

    def next_tick(self, patience):
        """Waits until a step was told; its end, or None."""
        seen, until = len(self.page.ticks), time.monotonic() + patience
        while time.monotonic() < until:
            if self.onset.ended():
                sys.exit("Onset ended:\n" + self.onset.log_tail())
            if len(self.page.ticks) > seen:
                return self.page.ticks[-1][0]
            time.sleep(0.05)
        return None

    def snapshot(self):
        metrics = self.onset.metrics()
        total = lambda name, label="": sum(value for n, labels, value in metrics if n == name and label in labels)  # noqa: E731
        # How many group-steps began within how many seconds of each other.
        skews = {float(labels.split('le="')[1].split('"')[0]): value for name, labels, value in metrics
                 if name == "onset_group_skew_seconds_bucket"}
        return {
            "time": time.time(), "cpu": self.onset.cpu(), "threads": self.onset.threads(), "fleet": self.fleet.figures(),
            "answered": total("onset_scrapes_total", 'outcome="answered"'), "asked": total("onset_scrapes_total"),
            "judge_sum": total("onset_judge_seconds_sum"), "judge_count": total("onset_judge_seconds_count"),
            "judge_max": total("onset_judge_seconds_max"), "gc": total("jvm_gc_pause_seconds_sum"),
            "found": total("onset_rules", 'answer="found"'), "skews": skews}

    def measure(self, warm, seconds, progress=None):
        self.say(f"warming up for {warm:.0f} s, then measuring for {seconds:.0f} s")
        until = time.monotonic() + warm
        while time.monotonic() < until:
            if self.onset.ended():
                sys.exit("Onset ended:\n" + self.onset.log_tail())
            time.sleep(1)
        begin = self.next_tick(3 * self.step)
        before = self.snapshot()
        until = time.monotonic() + seconds - 1
        while time.monotonic() < until:
            self.next_tick(self.step)
            if progress:
                progress(self)
        end = self.next_tick(3 * self.step)
        after = self.snapshot()
        return Measured(self, before, after, begin, end)


class Measured:
    def __init__(self, run, before, after, begin, end):
        delta = lambda key: after[key] - before[key]  # noqa: E731
        served = {key: after["fleet"][key] - before["fleet"][key] for key in ("answers", "samples", "bytes", "cpu")}
        self.took = delta("time")
        self.steps = round((end - begin) / run.step) if begin and end else None
        exporters = run.fleet.mounts + run.fleet.groups
        self.expected = (exporters - after["fleet"]["bad"]) * (self.steps if self.steps is not None else self.took / run.step)
        self.answered = delta("answered")
        self.missed = max(0, self.expected - self.answered)
        self.cpu = delta("cpu")
        self.samples = served["samples"]
        self.per_million = 1e6 * self.cpu / self.samples if self.samples else None
        self.fleet_per_answer = 1e6 * served["cpu"] / max(1, served["answers"])
        self.fleet_cpu = served["cpu"]
        self.cycles = run.page.cycles(before["time"])
        judged = delta("judge_count")
        self.judge_mean = delta("judge_sum") / judged if judged else None
        self.judge_max = after["judge_max"]
        self.skew = bucket_quantile({le: count - before["skews"].get(le, 0) for le, count in after["skews"].items()}, 0.99)
        self.gc = delta("gc")
        self.found = after["found"]
        self.rss = run.onset.rss()
        self.peak = run.onset.peak()
        self.page_slowest = run.page.slowest
        threads = {name: cpu - before["threads"].get(name, 0) for name, cpu in after["threads"].items()}
        threads["(ended threads)"] = self.cpu - sum(threads.values())
        self.threads = sorted(((cpu, name) for name, cpu in threads.items() if cpu > 0.005 * self.cpu), reverse=True)

    def threads_in_words(self):
        return ", ".join(f"{name} {100 * cpu / self.cpu:.0f} %" for cpu, name in self.threads[:10])


def show(verdict, run, result, bars=True):
    bar = lambda value: value if bars else None  # noqa: E731
    steady = run.fleet.mounts - run.fleet.figures()["bad"]
    verdict.figure("scrapes expected of answering targets", result.expected, digits=0)
    verdict.figure("missed", result.missed, most=bar(0), digits=0)
    verdict.figure("cycle p99, from the begin of a step until it is judged", quantile(result.cycles, 0.99), "s", most=bar(5))
    verdict.figure("cycle median", quantile(result.cycles, 0.5), "s")
    verdict.figure("skew inside a group p99, at most", None if result.skew is None else 1000 * result.skew, "ms", most=bar(250),
                   digits=0)
    verdict.figure("judging a tick, mean", result.judge_mean, "s", most=bar(1), digits=3)
    verdict.figure("judging a tick, slowest of late", result.judge_max, "s", digits=3)
    verdict.figure("peak memory", result.peak, "MB", most=bar(2048), digits=0)
    verdict.figure("memory at the end", result.rss, "MB", digits=0)
    verdict.figure("CPU", 100 * result.cpu / result.took, "% core", digits=1)
    verdict.figure("CPU per million samples", result.per_million, "s", digits=3)
    verdict.figure("pauses for garbage collection", 100 * result.gc / result.took, "%")
    verdict.figure("slowest question of the open page", result.page_slowest, "s")
    verdict.figure("found by rules at the end", result.found, digits=0)
    verdict.figure("the fleet itself: CPU", 100 * result.fleet_cpu / result.took, "% core", digits=1)
    verdict.figure("the fleet itself: CPU an answer", result.fleet_per_answer, "µs", digits=0)
    print(f"CPU by thread: {result.threads_in_words()}")
    if run.page.trouble:
        print(f"the page had trouble {len(run.page.trouble)} times, last: {run.page.trouble[-1]}")


def fleet(asked):
    """Onset before a fleet: missed scrapes, cycle, skew, judging, memory, CPU. Several numbers of mounts: how that grows."""
    if not asked.mounts.isdigit():
        return growth(asked, [int(mounts) for mounts in asked.mounts.split(",")])
    asked.mounts = int(asked.mounts)
    run = Run(asked.mounts, fleet_options(asked), java_options=asked.java)
    verdict = Verdict("fleet-10000" if asked.mounts == 10_000 else f"fleet-{asked.mounts}",
                      f"{asked.mounts} mounts" + (f", {asked.bad} % hang or drip" if asked.bad else "")
                      + (f", {asked.odd_share} % odd ({asked.odd})" if asked.odd else ""))
    result = run.measure(60 * asked.warm_up, 60 * asked.minutes)
    show(verdict, run, result)
    return verdict.end()


def profile(asked):
    """Where CPU and allocation go: a recording of the JVM's own profiler during a run, summed by package and class."""
    from profiles import summary
    run = Run(asked.mounts, fleet_options(asked), java_options=asked.java)
    verdict = Verdict("profile", f"{asked.mounts} mounts")
    recording = run.folder + "/onset.jfr"
    until = time.monotonic() + 60 * asked.warm_up
    while time.monotonic() < until:
        time.sleep(1)
    run.onset.jcmd("JFR.start", "name=bench", "settings=profile", f"filename={recording}")
    result = run.measure(0, 60 * asked.minutes)
    run.onset.jcmd("JFR.stop", "name=bench")
    show(verdict, run, result, bars=False)
    print(summary(recording))
    return verdict.end()


def scraped_by(service_class, mounts, options, warm, seconds):
    """CPU, memory and missed scrapes of a program that stores everything."""
    import os
    where = folder()
    played = Fleet(where, mounts, options)
    service = service_class(where, played, STEP)
    exporters = mounts + played.groups
    print(f"{service.name}: warming up for {warm:.0f} s, then measuring for {seconds:.0f} s", flush=True)
    time.sleep(warm)
    before, cpu, began = played.figures(), service.cpu(), time.time()
    while time.time() < began + seconds:
        if service.ended():
            sys.exit(f"{service.name} ended:\n" + service.log_tail())
        time.sleep(min(1, max(0, began + seconds - time.time())))
    ended, used, after, peak = time.time(), service.cpu() - cpu, played.figures(), service.peak()
    expected = exporters * round(seconds / STEP)
    time.sleep(5)  # what was scraped last becomes visible
    stored = service.ask(f"sum(sum_over_time(up[{round(seconds)}s]))", ended)
    result = {
        "per_million": 1e6 * used / max(1, after["samples"] - before["samples"]), "peak": peak,
        "cpu": 100 * used / (ended - began), "missed": max(0, expected - stored), "expected": expected,
        "fleet_cpu": 100 * (after["cpu"] - before["cpu"]) / (ended - began)}
    service.stop()
    from machine import stop
    stop(played.process)
    os.sync()  # its disk writes are not the next one's
    return result


def side_by_side(asked):
    """Onset with everything on, Prometheus and VictoriaMetrics, in turn before the same fleet."""
    from fleets import Prometheus, VictoriaMetrics
    from machine import need
    need(prometheus="prometheus", victoria_metrics="victoria-metrics")
    verdict = Verdict("side-by-side", f"{asked.mounts} mounts, {60 * asked.minutes:.0f} s each after {60 * asked.warm_up:.0f} s")
    options, warm = fleet_options(asked), 60 * asked.warm_up
    seconds = max(STEP, STEP * round(60 * asked.minutes / STEP))
    others = {}
    for service in Prometheus, VictoriaMetrics:
        if service.name.lower().startswith(tuple(asked.without.lower().split(",")) if asked.without else ("-",)):
            continue
        found = others[service.name] = scraped_by(service, asked.mounts, options, warm, seconds)
        verdict.figure(f"{service.name}: CPU per million samples", found["per_million"], "s")
        verdict.figure(f"{service.name}: CPU", found["cpu"], "% core", digits=1)
        verdict.figure(f"{service.name}: peak memory", found["peak"], "MB", digits=0)
        verdict.figure(f"{service.name}: missed of {found['expected']}", found["missed"], digits=0)
        verdict.figure(f"{service.name}: the fleet's CPU meanwhile", found["fleet_cpu"], "% core", digits=1)
    run = Run(asked.mounts, options, java_options=asked.java)
    result = run.measure(warm, seconds)
    show(verdict, run, result, bars=False)
    verdict.figure(f"Onset: missed of {result.expected:.0f}", result.missed, most=0, digits=0)
    best = min(found["per_million"] for found in others.values())
    least = min(found["peak"] for found in others.values())
    verdict.figure("Onset: CPU per sample, as a share of the better one", result.per_million / best, most=0.2, digits=3)
    verdict.figure("Onset: peak memory, as a share of the better one", result.peak / least, most=1)
    return verdict.end()


def growth(asked, counts):
    """How CPU and memory grow with the number of mounts; draws docs/images/growth.svg."""
    import os
    from chart import growth_chart
    from machine import ROOT, stop
    verdict = Verdict("growth", f"{60 * asked.minutes:.0f} s each after {60 * asked.warm_up:.0f} s")
    points = []
    for mounts in counts:
        run = Run(mounts, fleet_options(asked), java_options=asked.java)
        result = run.measure(60 * asked.warm_up, 60 * asked.minutes)
        cpu = 100 * result.cpu / result.took
        points.append((mounts, cpu, result.peak))
        verdict.figure(f"{mounts:6,} mounts: CPU", cpu, "% core", digits=1)
        verdict.figure(f"{mounts:6,} mounts: CPU per million samples", result.per_million, "s")
        verdict.figure(f"{mounts:6,} mounts: peak memory", result.peak, "MB", digits=0)
        verdict.figure(f"{mounts:6,} mounts: missed of {result.expected:.0f}", result.missed, digits=0)
        run.onset.stop()
        stop(run.fleet.process)
    compared = [point for point in points if point[0] >= 100]
    if len(compared) > 1:
        first, last = compared[0], compared[-1]
        times = last[0] / first[0]
        verdict.figure(f"CPU from {first[0]:,} to {last[0]:,} mounts", last[1] / first[1], "×", most=times, digits=1)
        verdict.figure(f"memory from {first[0]:,} to {last[0]:,} mounts", last[2] / first[2], "×", most=times, digits=1)
    path = os.path.join(ROOT, "docs", "images", "growth.svg")
    with open(path, "w") as file:
        file.write(growth_chart(points))
    print(f"drawn: {os.path.relpath(path, ROOT)}")
    return verdict.end()


def slope(points):
    """Of the line through them, by least squares."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def soak(asked):
    """A line a minute; memory must be flat once it is warm."""
    run = Run(asked.mounts, fleet_options(asked), java_options=asked.java)
    verdict = Verdict("soak", f"{asked.mounts} mounts for {asked.minutes:g} min after {asked.warm_up:g} min")
    time.sleep(60 * asked.warm_up)
    before, began, memory, heap = run.snapshot(), time.monotonic(), [], []
    run.next_tick(3 * run.step)
    first_step = run.page.ticks[-1][0] if run.page.ticks else None
    for minute in range(round(asked.minutes) + 1):
        time.sleep(max(0, began + 60 * minute - time.monotonic()))
        if run.onset.ended():
            sys.exit("Onset ended:\n" + run.onset.log_tail())
        # Collecting everything takes a moment: only now and then, so that steps are as they usually are.
        collected = minute % 5 == 0
        if collected:
            heap.append((minute / 60, run.onset.heap_in_use()))
        memory.append((minute / 60, run.onset.rss()))
        now = run.snapshot()
        cycle = quantile(run.page.cycles(time.time() - 60), 1)
        print(f"minute {minute:3}: {memory[-1][1]:6.0f} MB resident, "
              + (f"{heap[-1][1]:6.0f} MB heap after collecting, " if collected else " " * 34)
              + f"{100 * (now['cpu'] - before['cpu']) / max(1, now['time'] - before['time']):5.1f} % core, "
              f"not answered {now['asked'] - now['answered']:.0f}, slowest cycle {cycle or 0:.2f} s, "
              f"judging {now['judge_max']:.2f} s", flush=True)
    now = run.snapshot()
    last_step = run.page.ticks[-1][0] if run.page.ticks else None
    rss, used = memory[-1][1], heap[-1][1]
    verdict.figure("memory at the end", rss, "MB", digits=0)
    verdict.figure("memory: slope", 100 * slope(memory[len(memory) // 4:]) / rss, "%/h", most=5)
    verdict.figure("heap after collecting, at the end", used, "MB", digits=0)
    verdict.figure("heap after collecting: slope", 100 * slope(heap[len(heap) // 4:]) / used, "%/h", most=5)
    verdict.figure("scrapes that were not answered", (now["asked"] - before["asked"]) - (now["answered"] - before["answered"]),
                   most=0, digits=0)
    steps = round((last_step - first_step) / run.step) if first_step and last_step else 0
    judged = len([end for end, _ in run.page.ticks if first_step and first_step < end <= last_step])
    verdict.figure("steps not judged", steps - judged, most=0, digits=0)
    verdict.figure("peak memory", run.onset.peak(), "MB", digits=0)
    return verdict.end()


# What must be said about each kind of odd answer; the others must simply be read.
NAMED = ("cut", "broken", "longlines", "two", "stamps")


def bad_input(asked):
    """Odd answers among good ones: named, bounded, and nothing for the others to notice."""
    from machine import get_json
    asked.odd = asked.odd or "label,cut,broken,longlines,lines,two,stamps"
    run = Run(asked.mounts, fleet_options(asked), java_options=asked.java)
    verdict = Verdict("bad-input", f"{asked.mounts} mounts, {asked.odd_share:g} % answer oddly")
    result = run.measure(60 * asked.warm_up, 60 * asked.minutes)
    status = get_json(run.onset.url + "/api/v1/status?lang=en", 60)
    figures = run.fleet.figures()
    states = {target["address"]: target for target in status["targets"]}
    odd = set()
    addresses = run.fleet.targets()
    for kind in asked.odd.split(","):
        mine = [states[addresses[mount]] for mount in figures["odd"].get(kind, [])]
        odd.update(target["address"] for target in mine)
        named = [target["error"] or "; ".join(target["faults"]) for target in mine if target["error"] or target["faults"]]
        read = sum(target["up"] for target in mine)
        verdict.figure(f"{kind}: mounts, of which {read} are read; named", len(named),
                       least=len(mine) if kind in NAMED else None, digits=0)
        if kind not in NAMED:
            verdict.figure(f"{kind}: read", read, least=len(mine), digits=0)
        if named:
            print(f"   {named[0][:220]}")
    others = [target for target in status["targets"] if target["address"] not in odd]
    verdict.figure("other targets that are down", sum(not target["up"] for target in others), most=0, digits=0)
    verdict.figure("other targets with faults", sum(bool(target["faults"]) for target in others), most=0, digits=0)
    verdict.figure("cycle p99", quantile(result.cycles, 0.99), "s", most=5)
    verdict.figure("judging a tick, slowest of late", result.judge_max, "s", digits=3)
    verdict.figure("peak memory", result.peak, "MB", most=2048, digits=0)
    verdict.figure("CPU", 100 * result.cpu / result.took, "% core", digits=1)
    print(f"CPU by thread: {result.threads_in_words()}")
    return verdict.end()
