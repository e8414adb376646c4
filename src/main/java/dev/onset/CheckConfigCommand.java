package dev.onset;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** {@code check-config FILE}: 0 when the file can be used, 1 when not, with one line per problem. */
final class CheckConfigCommand {
    private CheckConfigCommand() {}

    static int run(List<String> words, PrintStream out, PrintStream err) {
        if (words.size() != 1 || words.get(0).startsWith("--")) {
            err.println("usage: onset check-config FILE");
            return 2;
        }
        List<String> problems = ServeOptions.problems(Path.of(words.get(0)));
        problems.forEach(err::println);
        if (problems.isEmpty()) {
            out.println(words.get(0) + ": fine");
        }
        return problems.isEmpty() ? 0 : 1;
    }
}
