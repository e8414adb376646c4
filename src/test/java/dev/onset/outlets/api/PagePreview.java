package dev.onset.outlets.api;

import dev.onset.diagnoses.Mark;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Serves the page with made-up diagnoses, to look at it: run {@code main} and open http://127.0.0.1:8781/. Not a
 * {@code @Configuration}, so that no component scan of the service takes it in.
 */
@EnableAutoConfiguration(
        excludeName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
        })
@Import({Access.class, Changes.class, DiagnosesApi.class, Guide.class, PagePaths.class, Problems.class, WatchApi.class})
class PagePreview {
    static final long NOW = System.currentTimeMillis();

    public static void main(String[] args) {
        var context = new SpringApplicationBuilder(PagePreview.class).run("--server.port=8781");
        Changes changes = context.getBean(Changes.class);
        var unused = Executors.newSingleThreadScheduledExecutor()
                .scheduleAtFixedRate(
                        () -> changes.publish(new Tick(System.currentTimeMillis(), List.of("d7k2m9qa"))),
                        15,
                        15,
                        TimeUnit.SECONDS);
    }

    @Bean
    SampleDiagnoses sampleDiagnoses() {
        return new SampleDiagnoses(NOW);
    }

    @Bean
    SampleWatched sampleWatched() {
        return new SampleWatched(NOW);
    }

    @Bean
    SampleMarks sampleMarks() {
        SampleMarks marks = new SampleMarks();
        marks.add("dhostile", new Mark(Mark.Kind.SILENCED, NOW, "lin", SampleDiagnoses.HOSTILE, NOW + 3 * 3600_000L));
        return marks;
    }
}
