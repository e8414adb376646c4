package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.security.crypto.bcrypt.BCrypt;

/** Who is let in, on a real server. */
class AccessTest {
    private static final String TOKEN = "0123456789abcdef0123";

    @TempDir
    private Path folder = Path.of("");

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    @Test
    void refuses_to_serve_everyone_on_another_address() {
        assertThatThrownBy(() -> new Access(settings(false), "0.0.0.0"))
                .isInstanceOfSatisfying(NotServing.class, refused -> {
                    FailureAnalysis analysis = new NotServing.Analyzer().analyze(refused, refused);
                    assertThat(analysis.getDescription())
                            .isEqualTo("Onset would listen on 0.0.0.0 and serve everyone who reaches it");
                    assertThat(analysis.getAction()).contains("onset.web.users-file", "onset.web.open");
                });
        assertThatThrownBy(() -> new Access(settings(false), "")).hasMessageContaining("every address of this machine");
    }

    @Test
    void is_open_elsewhere_only_when_told() {
        assertThatCode(() -> new Access(settings(true), "0.0.0.0")).doesNotThrowAnyException();
        assertThatCode(() -> new Access(settings(false), "127.0.0.1")).doesNotThrowAnyException();
    }

    @Test
    void takes_users_with_gos_hashes_and_tokens() throws Exception {
        String hash = BCrypt.hashpw("geheim", BCrypt.gensalt(4)).replaceFirst("^\\$2a", "\\$2y");
        Path users = write("web.yml", "basic_auth_users:\n  lin: " + hash + "\n");
        Path tokens = write("tokens", "# ci\n" + TOKEN + "\n");
        int port = start("--onset.web.users-file=" + users, "--onset.web.tokens-file=" + tokens);

        assertThat(ask(port, "/api/v1/status", null)).isEqualTo(401);
        assertThat(ask(port, "/", null)).isEqualTo(401);
        assertThat(ask(port, "/metrics", null)).isEqualTo(401);
        assertThat(ask(port, "/-/healthy", null)).isEqualTo(200);
        assertThat(ask(port, "/api/v1/status", basic("lin:geheim"))).isEqualTo(200);
        assertThat(ask(port, "/api/v1/status", basic("lin:geheim"))).isEqualTo(200);
        assertThat(ask(port, "/api/v1/status", basic("lin:falsch"))).isEqualTo(401);
        assertThat(ask(port, "/api/v1/status", "Bearer " + TOKEN)).isEqualTo(200);
        assertThat(ask(port, "/api/v1/status", "Bearer " + TOKEN + "x")).isEqualTo(401);
    }

    @Test
    void names_the_entry_that_is_no_hash_without_repeating_it() throws Exception {
        Path users = write("web.yml", "basic_auth_users:\n  lin: plain-password\n");
        assertThatThrownBy(() -> Credentials.read(new WebSettings(false, users, null, List.of())))
                .isInstanceOf(NotServing.class)
                .hasMessageContaining("user \"lin\" is not a bcrypt hash")
                .hasMessageNotContaining("plain-password");
    }

    @Test
    void names_what_is_wrong_with_a_credential_file() throws Exception {
        refused(write("a", "users: {}\n"), null, "holds no basic_auth_users");
        refused(write("b", "basic_auth_users: [\n"), null, "is not valid YAML");
        refused(folder.resolve("missing"), null, "cannot be read (NoSuchFileException)");
        refused(null, write("c", "\nshort\n"), "line 2: the token is too short");
    }

    @Test
    void credentials_do_not_print() {
        var credentials = new Credentials(Map.of("lin", "hash"), List.of(TOKEN));
        assertThat(credentials).hasToString("1 users, 1 tokens");
    }

    @Test
    void knows_loopback_from_elsewhere() {
        assertThat(Access.isLoopback("127.0.0.1")).isTrue();
        assertThat(Access.isLoopback("localhost")).isTrue();
        assertThat(Access.isLoopback("::1")).isTrue();
        assertThat(Access.isLoopback("")).isFalse();
        assertThat(Access.isLoopback("0.0.0.0")).isFalse();
        assertThat(Access.isLoopback("10.0.0.7")).isFalse();
    }

    private static WebSettings settings(boolean open) {
        return new WebSettings(open, null, null, List.of());
    }

    private static void refused(@Nullable Path users, @Nullable Path tokens, String because) {
        assertThatThrownBy(() -> Credentials.read(new WebSettings(false, users, tokens, List.of())))
                .isInstanceOf(NotServing.class)
                .hasMessageContaining(because);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private int start(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--server.port=0");
        var context = new SpringApplicationBuilder(PagePreview.class)
                .logStartupInfo(false)
                .run(all.toArray(String[]::new));
        started.add(context);
        return Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port")));
    }

    private int ask(int port, String path, @Nullable String authorization) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static String basic(String userAndPassword) {
        return "Basic " + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
    }
}
