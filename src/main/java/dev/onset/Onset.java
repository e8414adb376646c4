package dev.onset;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** The program: serves by default; {@code replay}, {@code record} and {@code check-config} run and end. */
@SpringBootApplication(exclude = {DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class})
public class Onset {
    private static final String USAGE = """
            usage: onset [serve] [--config FILE] [--web.listen-address HOST:PORT] [--storage.path FOLDER]
                   onset replay PATH... [--step 15s] [--phase 0s] [--floor-scale 1] [--json] [--explain RULE] [--lang en|zh]
                   onset record FOLDER [--config FILE] [--for 10m] [--limit 200MB] [--replace-names]
                   onset check-config FILE
            """;

    public static void main(String[] args) throws IOException {
        quietUntilServing();
        List<String> words = Arrays.asList(args);
        boolean named = !words.isEmpty()
                && (!words.get(0).startsWith("--") || words.get(0).equals("--help"));
        String command = named ? words.get(0) : "serve";
        List<String> rest = named ? words.subList(1, words.size()) : words;
        switch (command) {
            case "serve" -> serve(rest);
            case "replay" -> System.exit(ReplayCommand.run(rest, System.out, System.err));
            case "record" -> System.exit(RecordCommand.run(rest, System.out, System.err));
            case "rehearse" -> System.exit(Rehearsal.run());
            case "check-config" -> System.exit(CheckConfigCommand.run(rest, System.out, System.err));
            case "help", "-h", "--help" -> System.out.print(USAGE);
            default -> {
                System.err.print("onset: unknown command \"" + command + "\"\n" + USAGE);
                System.exit(2);
            }
        }
    }

    /** Before Spring sets logging up, libraries would talk on standard output, which belongs to the commands. */
    private static void quietUntilServing() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
        }
    }

    private static void serve(List<String> options) {
        ServeOptions serve;
        try {
            serve = ServeOptions.of(Options.of(options));
            serve.check();
        } catch (Options.Wrong e) {
            System.err.println("onset: " + e.getMessage());
            System.exit(2);
            return;
        } catch (ServeOptions.WrongFile e) {
            e.problems().forEach(System.err::println);
            System.exit(1);
            return;
        }
        start(serve);
    }

    static ConfigurableApplicationContext start(ServeOptions serve) {
        SpringApplication application = new SpringApplication(Onset.class);
        application.setDefaultProperties(serve.properties());
        return application.run(serve.springArguments().toArray(String[]::new));
    }
}
