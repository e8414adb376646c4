package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.results.Results;
import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedCondition;
import org.openqa.selenium.support.ui.WebDriverWait;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;

/** The page in a real browser, under its real policy. Screenshots are kept in target/screenshots. */
@SpringBootTest(classes = PagePreview.class, webEnvironment = WebEnvironment.RANDOM_PORT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DirtiesContext
@Timeout(180)
class PageTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots");

    @LocalServerPort
    private int port;

    @Autowired
    private SampleWatched watched;

    @Autowired
    private SampleDiagnoses diagnoses;

    @Autowired
    private SampleMarks marks;

    @Autowired
    private Changes changes;

    private ChromeDriver browser;

    PageTest(@TempDir Path profile) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        browser = browser(profile);
    }

    @BeforeAll
    void openOnce() {
        at("/favicon.svg");
    }

    @BeforeEach
    void reset() {
        watched.status(SampleWatched.partlyBlind(PagePreview.NOW));
        diagnoses.clear();
        new SampleDiagnoses(PagePreview.NOW).list(10).forEach(diagnoses::add);
    }

    @AfterAll
    void close() {
        browser.quit();
    }

    @ParameterizedTest
    @CsvSource({
        "now,/,light,en,1280",
        "now,/,dark,en,1280",
        "now,/,light,zh,1280",
        "now,/,dark,zh,1280",
        "now,/,light,en,400",
        "now,/,dark,zh,400",
        "incident,/diagnoses/d7k2m9qa,light,en,1280",
        "incident,/diagnoses/d7k2m9qa,dark,en,1280",
        "incident,/diagnoses/d7k2m9qa,light,zh,1280",
        "incident,/diagnoses/d7k2m9qa,dark,zh,1280",
        "incident,/diagnoses/d7k2m9qa,light,en,400",
        "incident,/diagnoses/d7k2m9qa,dark,zh,400",
        "recorded,/diagnoses/d3x8r1pc,light,en,1280",
        "hostile,/diagnoses/dhostile,dark,en,400",
        "history,/history,light,en,1280",
        "targets,/targets,dark,zh,1280",
        "targets,/targets,light,en,400",
        "rules,/rules,light,zh,1280",
    })
    void is_readable_in_every_theme_language_and_width(String name, String path, String theme, String lang, int width)
            throws IOException {
        open(path, theme, lang, width);

        keep(name + "-" + theme + "-" + lang + "-" + width);
        assertThat(browser.findElement(By.tagName("html")).getDomAttribute("lang"))
                .isEqualTo(lang.equals("zh") ? "zh-CN" : "en");
        assertThat(script("return document.documentElement.scrollWidth"))
                .as("nothing sticks out")
                .isEqualTo((long) width);
        assertThat(violations()).isEmpty();
        assertThat(complaints()).isEmpty();
    }

    @Test
    void says_the_worst_first_and_how_to_begin() {
        open("/", "light", "en", 1280);
        assertThat(text("h1")).startsWith("imagenet on gpu-07: reads outran the cache");
        assertThat(text(".first-remedy code")).isEqualTo("juicefs warmup /mnt/jfs/imagenet -p 50");
        assertThat(text(".others")).contains("1 more open");
        assertThat(text("#foot")).contains("1 cannot judge: no node exporter on gpu-09", "silences: 1");
        assertThat(all(".overview .lane")).hasSize(6);
    }

    @Test
    void stays_usable_with_ten_thousand_mounts_and_five_hundred_incidents() throws IOException {
        watched.tenThousandMounts();
        SampleDiagnoses.many(PagePreview.NOW, 500).forEach(diagnoses::add);
        for (String look : List.of("light,en", "dark,zh")) {
            String[] chosen = look.split(",", -1);
            open("/", chosen[0], chosen[1], 1280);
            keep("many-now-" + chosen[0] + "-" + chosen[1]);
            assertThat(violations()).isEmpty();
            assertThat(all(".others li")).hasSizeLessThan(20);
            open("/targets", chosen[0], chosen[1], 1280);
            keep("many-targets-" + chosen[0] + "-" + chosen[1]);
            assertThat(violations()).isEmpty();
            assertThat(all(".targets tbody tr")).hasSize(50);
        }
        open("/", "light", "en", 1280);
        assertThat(text(".others h2")).isEqualTo("501 more open");
        assertThat(text(".others")).contains("and 396 more like these");
        assertThat(text("main"))
                .contains(
                        "996 more targets do not answer",
                        "2 rules, imagenet on gpu-00000 at /mnt/jfs and 9,999 more: no dev_q");
        assertThat(complaints()).isEmpty();
    }

    @Test
    void finds_one_of_ten_thousand_mounts_and_targets_by_a_part_of_its_name() {
        watched.tenThousandMounts();
        open("/", "light", "en", 1280);
        WebElement field = browser.findElement(By.cssSelector(".overview input"));
        field.clear();
        field.sendKeys("gpu-04711");
        await(here -> all("#mounts option").size() == 1);
        field.sendKeys(Keys.chord(Keys.CONTROL, "a"), "imagenet on gpu-04711 at /mnt/jfs · job-47");
        await(here -> script("return performance.getEntriesByType('resource').map(each => each.name).join(' ')")
                .toString()
                .contains("gpu-04711+at"));

        open("/targets", "light", "en", 1280);
        assertThat(text("h1")).isEqualTo("1,000 targets do not answer.");
        browser.findElement(By.cssSelector(".find input")).sendKeys("GPU-04711");
        await(here -> all(".targets tbody tr").size() == 1);
        assertThat(text(".targets tbody")).contains("10.1.18.211:9567");
        assertThat(browser.switchTo().activeElement().getTagName()).isEqualTo("input");
        assertThat(complaints()).isEmpty();
    }

    @Test
    void lists_the_open_incidents_of_one_rule() throws IOException {
        SampleDiagnoses.many(PagePreview.NOW, 500).forEach(diagnoses::add);
        open("/history?state=open&rule=object-store-latency", "light", "en", 1280);
        keep("many-history-light-en");
        assertThat(violations()).isEmpty();
        assertThat(all(".list li")).hasSize(100);
        browser.findElement(By.cssSelector("main button.link")).click();
        await(here -> all(".list li").size() == 400);
        browser.findElement(By.cssSelector(".find input")).sendKeys("gpu-00123");
        await(here -> all(".list li").size() == 1);
        assertThat(complaints()).isEmpty();
    }

    @Test
    void says_that_all_is_well_and_what_is_watched() throws IOException {
        diagnoses.clear();
        watched.status(SampleWatched.allWell(PagePreview.NOW));
        open("/", "light", "en", 1280);
        keep("well-light-en-1280");
        assertThat(text("h1")).isEqualTo("Nothing found that slows the jobs.");
        assertThat(text(".sentence")).contains("Watching 8 rules", "5 of 5 targets answer");
        assertThat(text("main")).doesNotContain("What is not seen");
        assertThat(violations()).isEmpty();
    }

    @Test
    void shows_hostile_names_as_text() {
        for (String path : List.of("/", "/diagnoses/dhostile", "/history")) {
            open(path, "light", "en", 1280);
            assertThat(text("main")).as(path).contains(SampleDiagnoses.HOSTILE);
            assertThat(all("main img, main script, main b")).as(path).isEmpty();
            assertThat(browser.getTitle()).as(path).doesNotMatch("owned");
        }
    }

    @Test
    void draws_an_arrow_only_where_the_order_is_certain() {
        open("/diagnoses/d7k2m9qa", "light", "en", 1280);
        assertThat(all(".chain-bar")).hasSize(4);
        assertThat(all(".chain-arrow")).hasSize(2);
        assertThat(all(".chain-bracket")).hasSize(2);
        assertThat(script("return document.querySelector('.chain').textContent").toString())
                .contains("together with Cache misses", "3.6–34 s after Cache misses");
        open("/diagnoses/d3x8r1pc", "light", "en", 1280);
        assertThat(all(".chain-arrow")).isEmpty();
        assertThat(all(".chain-tick")).isNotEmpty();
    }

    @Test
    void marks_what_comes_from_a_recording() {
        open("/diagnoses/d3x8r1pc", "light", "en", 1280);
        assertThat(text(".recording-line")).contains("recording", "06-redis-expiry", "not happening now");
    }

    @Test
    void shows_seven_lanes_and_more_when_asked() {
        open("/diagnoses/d7k2m9qa", "light", "en", 1280);
        assertThat(all(".lanes .plot[role=img]")).hasSize(7);
        browser.findElements(By.cssSelector(".incident-charts button.link"))
                .get(1)
                .click();
        await(here -> all(".lanes .plot[role=img]").size() == 9);
    }

    @Test
    void moves_the_cursor_with_the_arrow_keys_and_reads_out_the_values() {
        open("/diagnoses/d7k2m9qa", "light", "en", 1280);
        await(here -> all(".lanes canvas").size() == 7);
        WebElement lanes = browser.findElement(By.cssSelector(".lanes"));
        lanes.sendKeys(Keys.END);
        lanes.sendKeys(Keys.ARROW_LEFT);
        await(here -> !text(".reading-time").isEmpty());
        assertThat(all(".reading").get(1).getText()).contains("MiB/s");
        assertThat(script("return document.getElementById('said').textContent").toString())
                .contains("Utilisation", "Cache misses");
    }

    @Test
    void shows_the_same_numbers_as_a_table() {
        open("/diagnoses/d7k2m9qa", "light", "en", 1280);
        browser.findElement(By.cssSelector(".incident-charts button.link")).click();
        await(here -> all("table.numbers tbody tr").size() == 84);
        assertThat(text("table.numbers thead")).contains("Time", "Utilisation", "Cache misses");
        assertThat(text("table.numbers tbody")).contains("counter reset");
        assertThat(violations()).isEmpty();
    }

    @Test
    void keeps_what_a_person_says() {
        open("/diagnoses/d7k2m9qa", "light", "en", 1280);
        browser.findElement(By.name("author")).sendKeys("lin");
        browser.findElement(By.name("note")).sendKeys("warming it now");
        browser.findElement(By.xpath("//form//button[text()='Acknowledge']")).click();
        await(here -> text(".trail").contains("acknowledged by lin: warming it now"));
        assertThat(marks.list("d7k2m9qa")).anyMatch(mark -> mark.note().equals("warming it now"));
        assertThat(complaints()).isEmpty();
    }

    @Test
    void follows_the_steps_without_being_reloaded() {
        open("/", "light", "en", 1280);
        diagnoses.clear();
        watched.status(SampleWatched.allWell(PagePreview.NOW));
        await(here -> {
            changes.publish(new Tick(PagePreview.NOW, List.of("d7k2m9qa")));
            return text("h1").equals("Nothing found that slows the jobs.");
        });
    }

    @Test
    void says_that_the_connection_is_lost_and_comes_back_by_itself() {
        open("/", "light", "en", 1280);
        await(here -> changes.readers() > 0);
        browser.executeCdpCommand("Network.enable", Map.of());
        network(true);
        changes.endAll();
        await(here -> text("#top").contains("connection lost at"));
        assertThat(text("h1")).startsWith("imagenet on gpu-07");
        network(false);
        await(here -> text("#top").contains("live"));
        complaints(); // the browser itself notes each request that fails
    }

    @Test
    void says_that_a_recording_is_shown() throws IOException {
        Status live = SampleWatched.allWell(PagePreview.NOW);
        watched.status(new Status(
                live.nowMillis(),
                live.sinceMillis(),
                live.lastStepMillis(),
                live.stepMillis(),
                false,
                "06-redis-expiry",
                live.counts(),
                live.rules(),
                List.of(),
                new Status.TargetCounts(0, 0, 0, 0),
                List.of(),
                List.of(),
                0,
                null,
                live.scopes()));
        diagnoses.clear();
        diagnoses.add(SampleDiagnoses.redisExpiry(PagePreview.NOW - PagePreview.NOW % SampleDiagnoses.STEP));
        open("/", "light", "en", 1280);
        keep("recording-light-en-1280");
        assertThat(text("#top")).contains("recording 06-redis-expiry").doesNotContain("live");
        assertThat(text("h1")).startsWith("Redis meta-a:6379 stalled");
        assertThat(text(".sentence .meta")).startsWith("recording").contains("lasted");
        assertThat(text("main")).contains("Nothing is watched yet.");
    }

    @Test
    void a_step_leaves_alone_what_a_person_is_doing() {
        open("/diagnoses/d7k2m9qa", "light", "en", 1280);
        browser.findElements(By.cssSelector(".incident-charts button.link"))
                .get(0)
                .click();
        browser.findElement(By.name("note")).sendKeys("half a sen");
        script("document.querySelector('.lanes').dataset.same = 'yes'");
        diagnoses.add(SampleDiagnoses.cacheMiss(
                PagePreview.NOW - PagePreview.NOW % SampleDiagnoses.STEP + SampleDiagnoses.STEP));
        String before = text(".incident-charts > p.quiet");

        await(here -> {
            changes.publish(new Tick(PagePreview.NOW, List.of("d7k2m9qa")));
            return !text(".incident-charts > p.quiet").equals(before);
        });
        browser.switchTo().activeElement().sendKeys("tence");
        assertThat(browser.findElement(By.name("note")).getDomProperty("value")).isEqualTo("half a sentence");
        assertThat(all("table.numbers")).hasSize(1);
        assertThat(all(".lanes[data-same=yes]")).hasSize(1);
        assertThat(complaints()).isEmpty();
    }

    @Test
    void remembers_language_and_theme() {
        open("/", "light", "en", 1280);
        browser.findElement(By.cssSelector(".switches button[lang=zh-CN]")).click();
        await(here -> text("#top").contains("实时"));
        browser.findElement(By.cssSelector("button.theme")).click();
        assertThat(script("return localStorage.getItem('onset.theme')")).isEqualTo("dark");
        assertThat(script("return localStorage.getItem('onset.lang')")).isEqualTo("zh");
    }

    @Test
    void says_so_when_there_is_no_such_diagnosis() {
        at("/favicon.svg");
        at("/diagnoses/none");
        await(here -> !all("main h1").isEmpty());
        assertThat(all("main h1").get(0).getText()).isIn("There is nothing here.", "这里没有内容。");
        complaints(); // the browser itself notes each 404
    }

    @Test
    void says_so_when_no_step_came_for_a_while() {
        Status old = SampleWatched.allWell(PagePreview.NOW);
        watched.status(new Status(
                PagePreview.NOW + 600_000,
                old.sinceMillis(),
                old.lastStepMillis(),
                old.stepMillis(),
                true,
                null,
                old.counts(),
                old.rules(),
                List.of(),
                old.targetCounts(),
                old.targets(),
                List.of(),
                0,
                null,
                old.scopes()));
        open("/", "light", "en", 1280);
        assertThat(text("#top")).contains("stale: no step for 10 min").doesNotContain("live");
    }

    private void open(String path, String theme, String lang, int width) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        script("localStorage.setItem('onset.theme', '" + theme + "'); localStorage.setItem('onset.lang', '" + lang
                + "')");
        at(path);
        await(here -> !all("main h1").isEmpty()
                && all(".lanes .plot").size() == all(".lanes .plot canvas").size()
                && (!path.equals("/")
                        || diagnoses.list(1).isEmpty()
                        || all(".lanes .plot").size() == 6));
    }

    private void network(boolean offline) {
        browser.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    private void at(String path) {
        browser.get("http://127.0.0.1:" + port + path);
    }

    private void await(ExpectedCondition<Boolean> condition) {
        var unused = new WebDriverWait(browser, Duration.ofSeconds(30), Duration.ofMillis(50))
                .ignoring(StaleElementReferenceException.class)
                .until(condition);
    }

    private String text(String selector) {
        return browser.findElement(By.cssSelector(selector)).getText();
    }

    private List<WebElement> all(String selector) {
        return browser.findElements(By.cssSelector(selector));
    }

    private Object script(String script) {
        return Objects.requireNonNullElse(browser.executeScript(script), "");
    }

    private List<String> violations() {
        Results results = new AxeBuilder().analyze(browser);
        assertThat(results.getPasses()).as("axe looked at something").isNotEmpty();
        return results.getViolations().stream().map(PageTest::line).toList();
    }

    private static String line(Rule rule) {
        return rule.getId() + ": " + rule.getHelp() + " at "
                + rule.getNodes().stream().map(node -> node.getHtml()).toList();
    }

    /** What the browser's console holds: errors of scripts, and whatever the policy stopped. */
    private List<String> complaints() {
        return browser.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .filter(message -> !message.contains("favicon.ico"))
                .toList();
    }

    private void keep(String name) throws IOException {
        Object width = script("return document.documentElement.scrollWidth");
        Object height = script("return document.documentElement.scrollHeight");
        Map<String, Object> clip = Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1);
        Map<String, Object> shot = browser.executeCdpCommand(
                "Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
        Files.write(SCREENSHOTS.resolve(name + ".png"), Base64.getDecoder().decode(String.valueOf(shot.get("data"))));
    }

    private static ChromeDriver browser(Path profile) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary("/usr/bin/chromium");
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--user-data-dir=" + profile);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService driver = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File("/usr/bin/chromedriver"))
                .build();
        return new ChromeDriver(driver, options);
    }
}
