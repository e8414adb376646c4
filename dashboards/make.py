#!/usr/bin/env python3
"""Writes onset.json. Change the panels here, run this, and commit both."""
import json
import os

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# The colours of the lanes on Onset's own page.
COLOURS = {
    "utilisation": "#2e9e5b", "misses": "#d9480f", "object": "#7048e8", "staging": "#b08900", "redis": "#c2255c",
    "disk": "#1971c2"}
WHERE = 'group=~"$group"'


def signal(name, extra=""):
    return f'onset_signal{{signal="{name}",{WHERE}{extra}}}'


class Dashboard:
    def __init__(self):
        self.panels = []
        self.y = 0

    def row(self, title):
        self.add({"type": "row", "title": title, "collapsed": False, "panels": []}, 0, 24, 1)
        self.y += 1

    def add(self, panel, x, width, height):
        panel["id"] = len(self.panels) + 1
        panel["gridPos"] = {"h": height, "w": width, "x": x, "y": self.y}
        self.panels.append(panel)

    def line(self, title, text, unit, colour, targets, x, width, height=6, maximum=None):
        defaults = {
            "unit": unit, "min": 0, "color": {"mode": "fixed", "fixedColor": COLOURS[colour]} if colour else {"mode": "palette-classic"},
            # A gap is a gap: nothing is drawn across it.
            "custom": {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 8, "spanNulls": False, "showPoints": "auto"}}
        if maximum is not None:
            defaults["max"] = maximum
        self.add({
            "type": "timeseries", "title": title, "description": text, "datasource": SOURCE,
            # The rate interval is four minimum steps: wide enough where Prometheus asks only once a minute.
            "interval": "1m" if any("rate(" in expression for expression, _ in targets) else "15s",
            "targets": queries(targets), "fieldConfig": {"defaults": defaults, "overrides": []},
            "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                        "tooltip": {"mode": "multi", "sort": "desc"}}}, x, width, height)

    def stat(self, title, text, expression, x, width, unit="short", steps=None):
        self.add({
            "type": "stat", "title": title, "description": text, "datasource": SOURCE, "interval": "15s",
            "targets": queries([(expression, "")]),
            "fieldConfig": {"defaults": {"unit": unit, "thresholds": {"mode": "absolute", "steps": steps or [{"color": "text", "value": None}]}}, "overrides": []},
            "options": {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value", "graphMode": "none"}}, x, width, 4)


def queries(targets):
    return [{"refId": chr(65 + index), "datasource": SOURCE, "expr": expression, "legendFormat": legend or "__auto", "range": True}
            for index, (expression, legend) in enumerate(targets)]


def build():
    d = Dashboard()
    bad = [{"color": "green", "value": None}, {"color": "red", "value": 1}]
    good = [{"color": "red", "value": None}, {"color": "green", "value": 1}]
    d.row("What is wrong now")
    d.stat("Open diagnoses", "How many diagnoses are open.", f'count(onset_diagnosis_active{{{WHERE}}}) or vector(0)', 0, 4, steps=bad)
    d.stat("Lost accelerator time", "What the open diagnoses have cost so far.", f'sum(onset_diagnosis_lost_accelerator_seconds{{{WHERE}}}) or vector(0)', 4, 4, unit="s")
    d.add({
        "type": "table", "title": "Open diagnoses", "datasource": SOURCE, "interval": "15s",
        "description": "Each with its argument on Onset's own page.",
        "targets": [{"refId": "A", "datasource": SOURCE, "expr": f'onset_diagnosis_active{{{WHERE}}}', "format": "table", "instant": True}],
        "transformations": [{"id": "organize", "options": {
            "excludeByName": {name: True for name in ("Time", "Value", "__name__", "instance", "job")},
            "indexByName": {"severity": 0, "rule": 1, "scope": 2, "group": 3, "confidence": 4}}}],
        "fieldConfig": {"defaults": {}, "overrides": []}, "options": {"showHeader": True}}, 8, 16, 8)
    d.y += 4
    d.stat("Targets down", "Targets that did not answer in the last step.", 'sum(onset_targets{state="down"})', 0, 4, steps=bad)
    d.stat("Rules that cannot judge", "For want of their inputs; the page says which.", 'sum(onset_rules{answer="unsure"})', 4, 4)
    d.y += 4

    d.row("What moved: everything on one time axis")
    d.line("Utilisation", "Mean of the job's accelerators.", "percentunit", "utilisation", [(signal("util"), "{{group}}")], 0, 24, 6, 1)
    d.y += 6
    d.line("Cache misses", "Bytes per second that were not in the block cache.", "binBps", "misses", [(signal("miss_bps"), "{{scope}}")], 0, 12)
    d.line("Object latency", "Mean of GET requests; absent while there are none.", "s", "object", [(signal("get_lat"), "{{scope}}")], 12, 12)
    d.y += 6
    d.line("Staging", "Written to the staging area, with --writeback.", "binBps", "staging", [(signal("stage_w"), "{{scope}}")], 0, 12)
    d.line("Redis round trip", "Longest PING of each step.", "s", "redis", [(signal("rtt_max"), "{{scope}}")], 12, 12)
    d.y += 6
    d.line("Disk queue", "Requests under way or waiting, per device.", "short", "disk", [(signal("dev_q"), "{{scope}} {{part}}")], 0, 12)
    d.line("Metadata latency", "Mean of the mount's metadata calls.", "s", "redis", [(signal("meta_lat"), "{{scope}}")], 12, 12)
    d.y += 6

    d.row("Onset itself")
    d.line("Answers", "What became of asking, per second.", "reqps", None, [("sum by (source, outcome) (rate(onset_scrapes_total[$__rate_interval]))", "{{source}} {{outcome}}")], 0, 8)
    d.line("Time of a request", "Mean per kind of target.", "s", None, [("sum by (source) (rate(onset_scrape_seconds_sum[$__rate_interval])) / (sum by (source) (rate(onset_scrape_seconds_count[$__rate_interval])) > 0)", "{{source}}")], 8, 8)
    d.line("Skew inside a group", "How far apart the requests of a group began.", "s", None, [('onset_scrape_skew_seconds{group=~"$group"}', "{{group}}")], 16, 8)
    d.y += 6
    d.line("Time of a step", "Judging, and the whole tick.", "s", None, [
        ("rate(onset_judge_seconds_sum[$__rate_interval]) / (rate(onset_judge_seconds_count[$__rate_interval]) > 0)", "rules"),
        ("rate(onset_tick_seconds_sum[$__rate_interval]) / (rate(onset_tick_seconds_count[$__rate_interval]) > 0)", "tick")], 0, 8)
    d.line("Messages that wait", "In the outbox.", "short", None, [("onset_outbox_pending", "pending")], 8, 8)
    d.stat("Store writable", "1 while diagnoses can be stored.", "min(onset_store_writable)", 16, 4, steps=good)
    d.stat("Series left out", "Beyond onset.metrics.max-series.", "max(onset_series_left_out)", 20, 4, steps=bad)
    d.y += 6

    return {
        "__requires": [{"type": "grafana", "id": "grafana", "name": "Grafana", "version": "9.0.0"},
                       {"type": "datasource", "id": "prometheus", "name": "Prometheus", "version": "1.0.0"}]
        + [{"type": "panel", "id": kind, "name": kind, "version": ""} for kind in ("stat", "table", "timeseries")],
        "id": None, "uid": "onset", "title": "Onset", "tags": ["onset", "juicefs"],
        "description": "What slowed the training job, what moved first, and how the watching goes.",
        "schemaVersion": 39, "editable": True, "graphTooltip": 1, "refresh": "30s", "timezone": "browser",
        "time": {"from": "now-1h", "to": "now"},
        "links": [{
            "title": "JuiceFS dashboard", "type": "link", "icon": "dashboard", "targetBlank": True, "keepTime": True,
            "url": "/d/-hm07csGk", "tooltip": "The official one, Grafana id 20794"}],
        "templating": {"list": [
            {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "refresh": 1,
             "regex": "", "hide": 0, "multi": False, "includeAll": False, "current": {}, "options": []},
            {"name": "group", "label": "Job", "type": "query", "datasource": SOURCE, "refresh": 2, "sort": 1,
             "query": {"query": "label_values(onset_signal, group)", "refId": "group"},
             "definition": "label_values(onset_signal, group)", "regex": "", "hide": 0, "multi": True,
             "includeAll": True, "allValue": ".*", "current": {"text": "All", "value": "$__all"}, "options": []}]},
        "annotations": {"list": [{
            "name": "Diagnoses", "datasource": SOURCE, "enable": True, "hide": False, "iconColor": "#d9480f",
            "expr": f'onset_diagnosis_active{{{WHERE}}}', "step": "15s", "titleFormat": "{{rule}}",
            "textFormat": "{{scope}}", "tagKeys": "severity,confidence,group", "useValueForTime": "false"}]},
        "panels": d.panels}


if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onset.json")
    with open(path, "w") as file:
        json.dump(build(), file, indent=2)
        file.write("\n")
