package dev.onset.outlets.api;

import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** Every page is the same static file, which reads its own address; and the two paths that probes ask. */
@Controller
class PagePaths {
    private final Watched watched;

    PagePaths(Watched watched) {
        this.watched = watched;
    }

    @GetMapping(
            path = {"/", "/diagnoses/{id}", "/history", "/targets", "/rules"},
            produces = MediaType.TEXT_HTML_VALUE)
    String page() {
        return "forward:/index.html";
    }

    @GetMapping("/-/healthy")
    ResponseEntity<String> healthy() {
        return text(HttpStatus.OK, "Onset is healthy.\n");
    }

    /** Ready once a step was judged: from then on the page shows what is true now. */
    @GetMapping("/-/ready")
    ResponseEntity<String> ready() {
        return watched.status().lastStepMillis() > 0
                ? text(HttpStatus.OK, "Onset is ready.\n")
                : text(HttpStatus.SERVICE_UNAVAILABLE, "Onset has not judged a step yet.\n");
    }

    /** Where Spring Boot has it: scrape configurations are copied from one service to the next. */
    @GetMapping("/actuator/prometheus")
    ResponseEntity<Void> metrics() {
        return ResponseEntity.status(HttpStatus.PERMANENT_REDIRECT)
                .location(URI.create("/metrics"))
                .build();
    }

    private static ResponseEntity<String> text(HttpStatus status, String body) {
        return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(body);
    }
}
