#!/usr/bin/env python3
"""Checks onset.json without a Grafana: its structure, and every expression with promtool."""
import json
import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN_PANELS = {"row", "timeseries", "stat", "table", "state-timeline", "heatmap", "bargauge", "text", "annolist"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}

with open(os.path.join(HERE, "onset.json")) as file:
    TEXT = file.read()
BOARD = json.loads(TEXT)
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]


def seconds(text):
    return int(text[:-1]) * {"s": 1, "m": 60}[text[-1]]


def filled_in(expression, interval):
    """As Grafana fills it in, with a data source whose interval is left at 15 s."""
    step = seconds(interval)
    return expression.replace("$__rate_interval", f"{max(step + 15, 4 * step)}s").replace("$group", ".*")


def expressions():
    """(where it stands, what Prometheus is asked) for panels and annotations."""
    for panel in PANELS:
        for target in panel["targets"]:
            yield f"{panel['title']} {target['refId']}", filled_in(target["expr"], panel["interval"])
    for annotation in BOARD["annotations"]["list"]:
        yield "annotation " + annotation["name"], filled_in(annotation["expr"], "15s")


def promtool(*arguments, content):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file.yml")
        with open(path, "w") as file:
            json.dump(content, file)  # JSON is YAML
        done = subprocess.run(["promtool", *arguments, path], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class DashboardTest(unittest.TestCase):
    def test_imports_by_hand_and_by_provisioning(self):
        self.assertNotIn("${DS_", TEXT)
        self.assertNotIn("__inputs", BOARD)
        self.assertIsNone(BOARD["id"])
        self.assertRegex(BOARD["uid"], r"^[a-z0-9-]{1,40}$")
        self.assertIn(BOARD["schemaVersion"], range(39, 43))
        self.assertEqual("datasource", next(v for v in BOARD["templating"]["list"] if v["name"] == "datasource")["type"])

    def test_every_question_goes_to_the_chosen_data_source(self):
        asked = [*PANELS, *(target for panel in PANELS for target in panel["targets"]), *BOARD["annotations"]["list"]]
        asked += [variable for variable in BOARD["templating"]["list"] if variable["type"] == "query"]
        for one in asked:
            self.assertEqual(SOURCE, one["datasource"], one)

    def test_panels_are_of_kinds_that_grafana_still_has(self):
        self.assertLessEqual({panel["type"] for panel in BOARD["panels"]}, KNOWN_PANELS)

    def test_panels_have_their_own_ids_and_do_not_overlap(self):
        ids = [panel["id"] for panel in BOARD["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        taken = {}
        for panel in BOARD["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), taken, f"{panel['title']} lies on {taken.get((x, y))}")
                    taken[x, y] = panel["title"]

    def test_rates_use_the_rate_interval_and_a_minimum_step(self):
        for panel in PANELS:
            self.assertIn("interval", panel, panel["title"])
            for target in panel["targets"]:
                self.assertEqual([], re.findall(r"\[(?!\$__rate_interval\])[^]]*\]", target["expr"]))

    def test_is_what_make_py_writes(self):
        made = subprocess.run(
            ["python3", "-B", "-c", "import json, make; print(json.dumps(make.build()))"], cwd=HERE, capture_output=True,
            text=True, check=True)
        self.assertEqual(json.loads(made.stdout), BOARD)

    def test_prometheus_understands_every_expression(self):
        rules = [{"record": f"e{index}", "expr": expression} for index, (_, expression) in enumerate(expressions())]
        code, said = promtool("check", "rules", content={"groups": [{"name": "dashboard", "rules": rules}]})
        self.assertEqual(0, code, said)

    def test_no_panel_is_empty_when_prometheus_asks_once_a_minute(self):
        names = sorted(set(re.findall(r'signal="(\w+)"', TEXT.replace('\\"', '"'))))
        series = [f'onset_signal{{signal="{name}",group="vision",scope="s",part=""}}' for name in names]
        diagnosis = '{rule="r",severity="S2",confidence="likely",group="vision",scope="s"}'
        series += [name + diagnosis for name in ("onset_diagnosis_active", "onset_diagnosis_lost_accelerator_seconds")]
        series += ['onset_targets{state="down"}', 'onset_rules{answer="unsure"}', 'onset_scrapes_total{source="node",outcome="answered"}',
                   'onset_scrape_skew_seconds{group="vision"}', "onset_outbox_pending", "onset_store_writable", "onset_series_left_out"]
        for timer in ('onset_scrape_seconds_{}{{source="node"}}', "onset_judge_seconds_{}", "onset_tick_seconds_{}"):
            series += [timer.format("sum"), timer.format("count")]
        tests = [
            {"expr": f"count({expression}) > bool 0", "eval_time": "10m30s", "exp_samples": [{"labels": "{}", "value": 1}]}
            for _, expression in expressions()]
        code, said = promtool("test", "rules", content={"evaluation_interval": "1m", "tests": [{
            "interval": "1m", "input_series": [{"series": one, "values": "1+1x20"} for one in series],
            "promql_expr_test": tests}]})
        self.assertEqual(0, code, said)


if __name__ == "__main__":
    unittest.main()
