package dev.onset.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.onset.sources.redis.RealRedis;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** No remedy names a flag or a directive that does not exist: all remedies of all traces in which something is found. */
class RemediesTest {
    /** {@code SUBCOMMAND --flag}, as the help of JuiceFS 1.4.2 lists them. */
    private static final Path FLAGS = Path.of("src/test/resources/juicefs/flags-1.4.2.txt");

    private static final Pattern CALL = Pattern.compile("juicefs ([a-z]+)((?: [^\\n&|;]*)?)");
    private static final Pattern FLAG = Pattern.compile("(?<= )--?[a-zA-Z][a-zA-Z0-9-]*");
    private static final Pattern MENTION = Pattern.compile("(?<![\\w-])--[a-z][a-z0-9-]+");
    private static final Pattern DIRECTIVE = Pattern.compile("CONFIG (?:GET|SET) ([a-z-]+)");

    @Test
    void every_flag_exists() throws IOException {
        Set<String> flags = Set.copyOf(Files.readAllLines(FLAGS));
        Set<String> subcommands =
                flags.stream().map(line -> line.split(" ", 2)[0]).collect(Collectors.toSet());
        Set<String> anywhere = flags.stream().map(line -> line.split(" ", 2)[1]).collect(Collectors.toSet());
        Set<String> used = new LinkedHashSet<>();
        for (Remedy remedy : remedies()) {
            Matcher call = CALL.matcher(remedy.command());
            while (call.find()) {
                assertThat(subcommands).as(remedy.command()).contains(call.group(1));
                Matcher flag = FLAG.matcher(call.group(2));
                while (flag.find()) {
                    used.add(call.group(1) + " " + flag.group());
                }
            }
            if (remedy.command().isEmpty()) {
                Matcher mention = MENTION.matcher(remedy.title().en());
                while (mention.find()) {
                    assertThat(anywhere).as(remedy.title().en()).contains(mention.group());
                }
            }
        }
        assertThat(used).hasSizeGreaterThan(15);
        assertThat(flags).containsAll(used);
    }

    @Test
    void the_list_of_flags_is_what_juicefs_says() throws Exception {
        String juicefs = installed();
        assumeTrue(juicefs != null, "no juicefs here");
        assumeTrue(output(juicefs, "version").contains("1.4.2"), "another juicefs");
        for (String line : Files.readAllLines(FLAGS)) {
            String[] words = line.split(" ", 2);
            assertThat(output(juicefs, words[0], "--help")).as(line).containsPattern(words[1] + "\\b");
        }
    }

    @Test
    void every_directive_exists(@TempDir Path folder) throws Exception {
        Set<String> directives = new TreeSet<>();
        for (Remedy remedy : remedies()) {
            Matcher directive = DIRECTIVE.matcher(remedy.command());
            while (directive.find()) {
                directives.add(directive.group(1));
            }
        }
        assertThat(directives).hasSizeGreaterThan(4);
        try (RealRedis redis = new RealRedis(folder);
                Jedis jedis = redis.client()) {
            for (String directive : directives) {
                assertThat(jedis.configGet(directive)).as(directive).isNotEmpty();
            }
        }
    }

    private static List<Remedy> remedies() throws IOException {
        return RuleTraceTest.traces()
                .filter(trace -> trace.expect.startsWith("found"))
                .flatMap(RemediesTest::remedies)
                .toList();
    }

    private static Stream<Remedy> remedies(Trace trace) {
        Rule rule = RuleBook.RULES.stream()
                .filter(candidate -> candidate.card().id().equals(trace.rule()))
                .findFirst()
                .orElseThrow();
        List<Verdict> verdicts = new Stage(trace).verdicts(rule);
        return verdicts.get(verdicts.size() - 1) instanceof Verdict.Found found
                ? found.finding().remedies().stream()
                : Stream.of();
    }

    private static @org.jspecify.annotations.Nullable String installed() {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "target/tools/bin";
        return Arrays.stream(path.split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "juicefs"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse(null);
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        return text;
    }
}
