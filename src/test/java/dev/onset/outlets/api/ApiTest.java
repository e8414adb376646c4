package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.head;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.forwardedUrl;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import com.jayway.jsonpath.JsonPath;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@SpringBootTest(classes = PagePreview.class)
@AutoConfigureMockMvc
@DirtiesContext
class ApiTest {
    @Autowired
    private MockMvc mvc;

    @Test
    void lists_diagnoses_newest_first() throws Exception {
        ask("/api/v1/diagnoses?lang=en")
                .andExpect(status().isOk())
                .andExpect(jsonPath("$", hasSize(3)))
                .andExpect(jsonPath("$[0].id").value("dhostile"))
                .andExpect(jsonPath("$[1].id").value("d7k2m9qa"))
                .andExpect(jsonPath("$[1].firstCommand").value("juicefs warmup /mnt/jfs/imagenet -p 50"))
                .andExpect(jsonPath("$[2].recording").value("06-redis-expiry"));
    }

    @Test
    void lists_only_what_is_asked_for() throws Exception {
        ask("/api/v1/diagnoses?state=open").andExpect(jsonPath("$", hasSize(2)));
        ask("/api/v1/diagnoses?state=resolved")
                .andExpect(jsonPath("$", hasSize(1)))
                .andExpect(jsonPath("$[0].state").value("resolved"));
        ask("/api/v1/diagnoses?limit=1").andExpect(jsonPath("$", hasSize(1)));
    }

    @Test
    void lists_the_worst_first_and_few_of_each_rule() throws Exception {
        ask("/api/v1/diagnoses?state=open&order=worst")
                .andExpect(jsonPath("$[0].severity").value("S2"));
        ask("/api/v1/diagnoses?rule=cache-miss-before-utilisation-drop&perRule=1")
                .andExpect(jsonPath("$", hasSize(1)));
        ask("/api/v1/diagnoses?q=GPU-07&lang=en").andExpect(jsonPath("$[*].id", hasItem("d7k2m9qa")));
        ask("/api/v1/diagnoses?q=gpu-99").andExpect(jsonPath("$", hasSize(0)));
    }

    @Test
    void counts_what_is_open_by_rule() throws Exception {
        ask("/api/v1/status?lang=en")
                .andExpect(jsonPath("$.open", hasSize(2)))
                .andExpect(jsonPath("$.open[*].count").value(org.hamcrest.Matchers.contains(1, 1)))
                .andExpect(jsonPath("$.open[0].title").isNotEmpty());
    }

    @Test
    void turns_the_pages_of_the_targets() throws Exception {
        String next = JsonPath.read(
                ask("/api/v1/targets?limit=4")
                        .andExpect(jsonPath("$.targets", hasSize(4)))
                        .andExpect(jsonPath("$.matching").value(6))
                        .andReturn()
                        .getResponse()
                        .getContentAsString(),
                "$.next");
        ask("/api/v1/targets?limit=4&after=" + next)
                .andExpect(jsonPath("$.targets", hasSize(2)))
                .andExpect(jsonPath("$.matching").value(6))
                .andExpect(jsonPath("$.next").isEmpty());
    }

    @Test
    void finds_targets_by_state_and_by_name() throws Exception {
        ask("/api/v1/targets?state=down")
                .andExpect(jsonPath("$.targets[*].address").value(org.hamcrest.Matchers.contains("10.0.0.9:9100")));
        ask("/api/v1/targets?state=faulty").andExpect(jsonPath("$.matching").value(1));
        ask("/api/v1/targets?q=GPU-07").andExpect(jsonPath("$.matching").value(3));
        ask("/api/v1/targets?q=redis&state=up").andExpect(jsonPath("$.matching").value(1));
    }

    @Test
    void finds_scopes_by_kind_group_and_name() throws Exception {
        ask("/api/v1/scopes?kind=mount&group=train-a&q=GPU-07")
                .andExpect(jsonPath("$.scopes[*].id")
                        .value(org.hamcrest.Matchers.contains("imagenet on gpu-07 at /mnt/jfs")));
        ask("/api/v1/scopes?group=another").andExpect(jsonPath("$.matching").value(0));
    }

    @Test
    void tells_one_diagnosis_with_its_argument_in_the_language_asked_for() throws Exception {
        ask("/api/v1/diagnoses/d7k2m9qa?lang=zh")
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.summary", containsString("读取超出缓存")))
                .andExpect(jsonPath("$.confidence").value("likely"))
                .andExpect(jsonPath("$.severity").value("S2"))
                .andExpect(jsonPath("$.opened", endsWith("Z")))
                .andExpect(jsonPath("$.resolved").isEmpty())
                .andExpect(jsonPath("$.scope.id").value("imagenet on gpu-07 at /mnt/jfs"))
                .andExpect(jsonPath("$.evidence.tracks[1].gaps[0].reason").value("reset"))
                .andExpect(jsonPath("$.evidence.tracks[1].values[22]").isEmpty());
    }

    @Test
    void says_before_only_where_the_onsets_do_not_overlap() throws Exception {
        ask("/api/v1/diagnoses/d7k2m9qa")
                .andExpect(jsonPath("$.onsets[*].signal")
                        .value(org.hamcrest.Matchers.contains("miss_bps", "get_bps", "read_cost", "util")))
                .andExpect(jsonPath("$.order", hasSize(6)))
                .andExpect(jsonPath("$.order[0].first").value("miss_bps"))
                .andExpect(jsonPath("$.order[0].second").value("get_bps"))
                .andExpect(jsonPath("$.order[0].order").value("together"))
                .andExpect(jsonPath("$.order[2].second").value("util"))
                .andExpect(jsonPath("$.order[2].order").value("before"))
                .andExpect(jsonPath("$.order[5].order").value("together"));
    }

    @Test
    void answers_an_unknown_diagnosis_with_a_problem() throws Exception {
        ask("/api/v1/diagnoses/none")
                .andExpect(status().isNotFound())
                .andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON))
                .andExpect(jsonPath("$.detail").value("there is no diagnosis none"));
    }

    @Test
    void names_what_is_allowed_when_a_parameter_cannot_be_used() throws Exception {
        wrong("/api/v1/diagnoses?limit=501", "limit", "a whole number from 1 to 500");
        wrong("/api/v1/diagnoses?limit=ten", "limit", "a whole number from 1 to 500");
        wrong("/api/v1/diagnoses?state=closed", "state", "all, open, resolved");
        wrong("/api/v1/diagnoses?order=oldest", "order", "newest, worst");
        wrong("/api/v1/diagnoses?perRule=0", "perRule", "a whole number from 1 to 500");
        wrong("/api/v1/diagnoses?q=" + "x".repeat(201), "q", "at most 200 characters");
        wrong("/api/v1/targets?state=broken", "state", "all, up, down, faulty");
        wrong("/api/v1/targets?after=bm90aGluZw", "after", "the next of an earlier page");
        wrong("/api/v1/targets?after=%25", "after", "the next of an earlier page");
        wrong("/api/v1/scopes?kind=volume", "kind", "mount, host, redis, job, target");
        wrong("/api/v1/diagnoses?lang=fr", "lang", "en, zh");
        wrong("/api/v1/timeline", "kind", "mount, host, redis, job, target");
        String job = "/api/v1/timeline?kind=job&group=train-a&id=train-a";
        wrong(job + "&from=yesterday&to=now", "from", "a time such as 2026-12-01T14:21:30Z");
        wrong(
                job + "&from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:01Z",
                "to",
                "a time after from, at most 24 hours later");
        wrong(job + "&from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z", "to", "a time after from");
        wrong(job + "&from=2026-11-01T00:00:00Z&to=2026-11-01T01:00:00Z&signals=util,nothing", "signals", "up to 32");
    }

    @Test
    void serves_the_series_of_a_scope_with_gaps_instead_of_zeros() throws Exception {
        Instant to = Instant.ofEpochMilli(PagePreview.NOW);
        mvc.perform(get("/api/v1/timeline")
                        .param("kind", "mount")
                        .param("group", "train-a")
                        .param("id", "imagenet on gpu-07 at /mnt/jfs")
                        .param("signals", "miss_bps,get_bps")
                        .param("from", to.minusSeconds(3600).toString())
                        .param("to", to.toString()))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.stepMillis").value(15000))
                .andExpect(jsonPath("$.tracks", hasSize(2)))
                .andExpect(jsonPath("$.tracks[0].unit").value("bytes_per_second"))
                .andExpect(jsonPath("$.tracks[0].values[60]").isEmpty())
                .andExpect(jsonPath("$.tracks[0].gaps[0].first").value(60))
                .andExpect(jsonPath("$.tracks[0].gaps[0].last").value(61));
    }

    @Test
    void knows_nothing_about_a_scope_that_is_not_watched() throws Exception {
        ask("/api/v1/timeline?kind=job&group=x&id=x&from=2026-11-01T00:00:00Z&to=2026-11-01T01:00:00Z")
                .andExpect(status().isNotFound())
                .andExpect(jsonPath("$.detail", containsString("nothing is known about job x")));
    }

    @Test
    void keeps_what_people_say() throws Exception {
        act("{\"kind\":\"acknowledged\",\"author\":\"lin\",\"note\":\"looking\\u0000 at it\"}")
                .andExpect(status().isOk())
                .andExpect(jsonPath("$[-1:].author").value("lin"))
                .andExpect(jsonPath("$[-1:].note").value("looking at it"));
        act("{\"kind\":\"wrongCause\"}").andExpect(jsonPath("$[-1:].author").value("anonymous"));
        String until = Instant.ofEpochMilli(PagePreview.NOW).plusSeconds(3600).toString();
        act("{\"kind\":\"silenced\",\"until\":\"" + until + "\"}").andExpect(status().isOk());
        ask("/api/v1/status").andExpect(jsonPath("$.silences[*].diagnosisId", hasItem("d7k2m9qa")));
        ask("/api/v1/diagnoses/d7k2m9qa/marks").andExpect(jsonPath("$[0].kind").value("acknowledged"));
    }

    @Test
    void a_silence_needs_an_end_within_thirty_days() throws Exception {
        act("{\"kind\":\"silenced\"}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.parameter").value("until"));
        act("{\"kind\":\"silenced\",\"until\":\"2099-01-01T00:00:00Z\"}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.allowed", containsString("30 days")));
        act("{\"kind\":\"note\"}").andExpect(status().isBadRequest());
    }

    @Test
    void refuses_actions_that_another_site_could_send() throws Exception {
        mvc.perform(body(post("/api/v1/diagnoses/d7k2m9qa/marks"), "{\"kind\":\"note\"}"))
                .andExpect(status().isForbidden());
        mvc.perform(body(post("/api/v1/diagnoses/d7k2m9qa/marks"), "{\"kind\":\"note\"}")
                        .header("X-Onset", "1")
                        .header("Host", "localhost")
                        .header("Origin", "http://evil.example"))
                .andExpect(status().isForbidden());
        mvc.perform(body(post("/api/v1/diagnoses/d7k2m9qa/marks"), "{\"kind\":\"note\"}")
                        .header("X-Onset", "1")
                        .header("Sec-Fetch-Site", "cross-site"))
                .andExpect(status().isForbidden());
    }

    @Test
    void refuses_bodies_that_are_broken_or_large() throws Exception {
        act("{\"kind\":").andExpect(status().isBadRequest());
        act("{\"kind\":\"note\",\"note\":\"" + "x".repeat(2001) + "\"}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.allowed").value("at most 2000 characters"));
        act("x".repeat(20_000)).andExpect(status().is(413));
    }

    @Test
    void does_not_serve_under_a_foreign_name_on_loopback() throws Exception {
        mvc.perform(get("/api/v1/status").with(request -> {
                    request.setServerName("rebound.example");
                    return request;
                }))
                .andExpect(status().is(421));
    }

    @Test
    void every_page_is_the_same_file_under_a_strict_policy() throws Exception {
        for (String path : new String[] {"/diagnoses/d7k2m9qa", "/history", "/targets", "/rules"}) {
            mvc.perform(get(path).accept(MediaType.TEXT_HTML))
                    .andExpect(status().isOk())
                    .andExpect(forwardedUrl("/index.html"))
                    .andExpect(header().string("Content-Security-Policy", containsString("default-src 'none'")))
                    .andExpect(header().string("X-Content-Type-Options", "nosniff"))
                    .andExpect(header().string("Referrer-Policy", "no-referrer"));
        }
    }

    @Test
    void answers_probes_with_get_and_head() throws Exception {
        ask("/-/healthy").andExpect(status().isOk());
        ask("/-/ready").andExpect(status().isOk());
        mvc.perform(head("/-/healthy")).andExpect(status().isOk());
        mvc.perform(head("/-/ready")).andExpect(status().isOk());
    }

    @Test
    void leads_to_the_metrics_from_where_spring_boot_has_them() throws Exception {
        ask("/actuator/prometheus").andExpect(status().is(308)).andExpect(header().string("Location", "/metrics"));
    }

    @Test
    void a_diagnosis_is_one_line_of_json() {
        String line = DiagnosisJson.of(SampleDiagnoses.cacheMiss(PagePreview.NOW), java.util.Locale.ENGLISH)
                .line();
        assertThat(line).startsWith("{\"id\":\"d7k2m9qa\",\"rule\":").doesNotContain("\n", "NaN");
    }

    private void wrong(String path, String parameter, String allowed) throws Exception {
        ask(path)
                .andExpect(status().isBadRequest())
                .andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON))
                .andExpect(jsonPath("$.parameter").value(parameter))
                .andExpect(jsonPath("$.allowed", containsString(allowed)));
    }

    private ResultActions ask(String path) throws Exception {
        return mvc.perform(get(path));
    }

    private ResultActions act(String json) throws Exception {
        return mvc.perform(body(post("/api/v1/diagnoses/d7k2m9qa/marks"), json).header("X-Onset", "1"));
    }

    private static MockHttpServletRequestBuilder body(MockHttpServletRequestBuilder request, String json) {
        return request.contentType(MediaType.APPLICATION_JSON).content(json);
    }

    @Test
    void serves_the_page_of_each_rule_in_both_languages() throws Exception {
        ask("/docs/rules/object-store-latency.md")
                .andExpect(status().isOk())
                .andExpect(content().contentTypeCompatibleWith(MediaType.TEXT_HTML))
                .andExpect(content().string(containsString("<title>object-store-latency · Onset</title>")))
                .andExpect(header().string("Content-Security-Policy", containsString("default-src 'none'")));
        ask("/docs/rules/object-store-latency.zh.md")
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("lang=\"zh-CN\"")));
        ask("/docs/symptoms.md").andExpect(content().string(containsString("href=\"rules/mount-hang.md\"")));
        ask("/docs/advice.md").andExpect(content().string(containsString("<table>")));
    }

    @Test
    void says_why_there_is_no_diagnosis_the_nearest_rule_first() throws Exception {
        ask("/api/v1/why?kind=job&group=train-a&id=train-a&lang=en")
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.rules[0].answer").value("quiet"))
                .andExpect(jsonPath("$.rules[0].checks[1].condition").value("utilisation fell"))
                .andExpect(jsonPath("$.rules[0].checks[1].met").value(false))
                .andExpect(jsonPath("$.rules[1].answer").value("unsure"))
                .andExpect(jsonPath("$.rules[1].missing[0].why").value("not configured"));
        ask("/api/v1/why?kind=job&group=train-a&id=nobody").andExpect(status().isNotFound());
    }

    @Test
    void serves_nothing_but_its_documentation() throws Exception {
        ask("/docs/rules/no-such-rule.md").andExpect(status().isNotFound());
        ask("/docs/rules/..%2f..%2fapplication.properties").andExpect(status().is4xxClientError());
        ask("/docs/application.properties").andExpect(status().is4xxClientError());
    }
}
