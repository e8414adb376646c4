package dev.onset.outlets.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** The documentation that belongs to this version, served by the service: one page a rule, and what stands around it. */
@Controller
final class Guide {
    private static final List<org.commonmark.Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
    private static final HtmlRenderer HTML = HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .escapeHtml(true)
            .sanitizeUrls(true)
            .build();
    private static final String PAGE = """
            <!doctype html>
            <html lang="%s">
              <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>%s · Onset</title>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="stylesheet" href="/onset.css" />
                <script src="/app/early.js"></script>
              </head>
              <body>
                <main class="guide">
                  <p><a href="/rules">Onset</a></p>
                  %s
                </main>
              </body>
            </html>
            """;

    /** Names end in {@code .md} or {@code .zh.md}, as they do in a checkout, so that links between them hold in both. */
    @GetMapping(path = "/docs/{name:[a-zA-Z-]+(?:\\.zh)?\\.md}")
    ResponseEntity<String> page(@PathVariable("name") String name) throws IOException {
        return rendered(name);
    }

    @GetMapping(path = "/docs/rules/{name:[a-zA-Z-]+(?:\\.zh)?\\.md}")
    ResponseEntity<String> rule(@PathVariable("name") String name) throws IOException {
        return rendered("rules/" + name);
    }

    private static ResponseEntity<String> rendered(String path) throws IOException {
        try (InputStream file = Guide.class.getResourceAsStream("/docs/" + path)) {
            if (file == null) {
                return ResponseEntity.notFound().build();
            }
            String text = new String(file.readAllBytes(), UTF_8);
            String title = text.lines()
                    .findFirst()
                    .orElse("")
                    .replaceAll("[#`<>&\"]", "")
                    .strip();
            String html = HTML.render(PARSER.parse(text));
            return ResponseEntity.ok()
                    .contentType(new MediaType(MediaType.TEXT_HTML, UTF_8))
                    .cacheControl(CacheControl.noCache())
                    .body(PAGE.formatted(path.endsWith(".zh.md") ? "zh-CN" : "en", title, html));
        }
    }
}
