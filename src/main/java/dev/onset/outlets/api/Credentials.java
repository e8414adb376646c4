package dev.onset.outlets.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads the files that say who may come in. Neither the messages nor {@link #toString} repeat a secret.
 *
 * @param users user name to bcrypt hash
 * @param tokens bearer tokens
 */
record Credentials(Map<String, String> users, List<String> tokens) {
    private static final int SHORTEST_TOKEN = 16;
    private static final long LARGEST_FILE = 1 << 20;
    /** Go and htpasswd write $2y$, others $2a$ or $2b$. */
    private static final Pattern BCRYPT = Pattern.compile("\\$2[aby]\\$\\d\\d\\$[./0-9A-Za-z]{53}");

    Credentials {
        users = Map.copyOf(users);
        tokens = List.copyOf(tokens);
    }

    static Credentials read(WebSettings settings) {
        return new Credentials(
                settings.usersFile() == null ? Map.of() : users(settings.usersFile()),
                settings.tokensFile() == null ? List.of() : tokens(settings.tokensFile()));
    }

    boolean isEmpty() {
        return users.isEmpty() && tokens.isEmpty();
    }

    private static Map<String, String> users(Path file) {
        Object root = yaml(file, text("onset.web.users-file", file));
        if (!(root instanceof Map<?, ?> keys) || !(keys.get("basic_auth_users") instanceof Map<?, ?> listed)) {
            throw new NotServing(
                    "onset.web.users-file: " + file + " holds no basic_auth_users",
                    "List user names with their bcrypt hashes under the key basic_auth_users.");
        }
        Map<String, String> users = new LinkedHashMap<>();
        listed.forEach((user, hash) -> users.put(String.valueOf(user), bcrypt(file, user, hash)));
        return users;
    }

    private static String bcrypt(Path file, @Nullable Object user, @Nullable Object hash) {
        if (hash instanceof String text && BCRYPT.matcher(text).matches()) {
            return text;
        }
        throw new NotServing(
                "onset.web.users-file: " + file + ": the entry of user \"" + user + "\" is not a bcrypt hash",
                "A hash begins with $2y$, $2a$ or $2b$ and has 60 characters; htpasswd -nBC 10 NAME prints one.");
    }

    private static List<String> tokens(Path file) {
        List<String> tokens = new ArrayList<>();
        int number = 0;
        for (String line : text("onset.web.tokens-file", file).split("\\R", -1)) {
            number++;
            String token = line.strip();
            if (token.isEmpty() || token.startsWith("#")) {
                continue;
            }
            if (token.length() < SHORTEST_TOKEN) {
                throw new NotServing(
                        "onset.web.tokens-file: " + file + ", line " + number + ": the token is too short",
                        "Use at least " + SHORTEST_TOKEN + " characters; openssl rand -hex 24 prints a good one.");
            }
            tokens.add(token);
        }
        return tokens;
    }

    private static @Nullable Object yaml(Path file, String text) {
        try {
            return new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
        } catch (YAMLException broken) {
            // The parser's message quotes the line, which may hold a hash.
            throw new NotServing(
                    "onset.web.users-file: " + file + " is not valid YAML", "Check its indentation and quotes.");
        }
    }

    private static String text(String key, Path file) {
        try {
            if (Files.size(file) > LARGEST_FILE) {
                throw new NotServing(key + ": " + file + " is larger than 1 MiB", "Name the right file.");
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new NotServing(
                    key + ": " + file + " cannot be read ("
                            + unreadable.getClass().getSimpleName() + ")",
                    "Name a UTF-8 file that the service may read.");
        }
    }

    @Override
    public String toString() {
        return users.size() + " users, " + tokens.size() + " tokens";
    }
}
