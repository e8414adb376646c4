package dev.onset;

import dev.onset.diagnoses.CurrentDiagnoses;
import dev.onset.diagnoses.Deliveries;
import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Marks;
import dev.onset.diagnoses.store.SqliteStore;
import dev.onset.outlets.api.Changes;
import dev.onset.outlets.metrics.Metrics;
import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.OutboxWorker;
import dev.onset.outlets.webhook.Receivers;
import dev.onset.sources.live.LiveSources;
import dev.onset.sources.settings.SourceSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Puts the service together, left to right: sources, the loop with timeline and rules, the store, the outlets. */
@Configuration(proxyBeanMethods = false)
class Composition {
    @Bean
    ServeOptions serveOptions(
            @Value("${onset.serve.config:}") String config, @Value("${onset.serve.data:}") String data) {
        Map<String, String> overrides = new HashMap<>();
        if (!data.isEmpty()) {
            overrides.put("data", data);
        }
        return new ServeOptions(config.isEmpty() ? null : Path.of(config), overrides, Map.of());
    }

    /** Where to look, said once at start. */
    @Bean
    ApplicationListener<WebServerInitializedEvent> tellWhere(@Value("${server.address:127.0.0.1}") String address) {
        return ready -> LoggerFactory.getLogger(Onset.class)
                .info("Onset is at http://{}:{}/", address, ready.getWebServer().getPort());
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean
    SourceSettings sourceSettings(ServeOptions options) {
        return options.sources();
    }

    @Bean
    Receivers receivers(ServeOptions options, Clock clock) {
        return Receivers.from(options.webhooks(), HttpPost.create(clock));
    }

    @Bean(destroyMethod = "close")
    SqliteStore store(SourceSettings settings, Receivers receivers, Clock clock) {
        return SqliteStore.open(settings.dataFolder().resolve("onset.db"), receivers.subscribers(), clock);
    }

    @Bean
    CurrentDiagnoses currentDiagnoses(SqliteStore store) {
        return new CurrentDiagnoses(store.diagnoses());
    }

    /** Without settings a recorded incident is shown beside whatever is live. */
    @Bean
    @Nullable
    ShownRecording shownRecording(ServeOptions options, SourceSettings settings) {
        return options.config() == null ? ShownRecording.shipped() : null;
    }

    @Bean
    @Primary
    Diagnoses diagnoses(
            CurrentDiagnoses live, org.springframework.beans.factory.ObjectProvider<ShownRecording> recording) {
        ShownRecording shown = recording.getIfAvailable();
        return shown == null ? live : shown.beside(live);
    }

    @Bean
    Marks marks(SqliteStore store) {
        return store.marks();
    }

    @Bean
    Deliveries deliveries(SqliteStore store) {
        return store.outbox();
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    OutboxWorker outboxWorker(SqliteStore store, Receivers receivers, Clock clock) {
        return new OutboxWorker(store.outbox(), receivers, clock);
    }

    @Bean(destroyMethod = "close")
    LiveSources liveSources(SourceSettings settings, Clock clock) {
        return new LiveSources(settings, clock);
    }

    @Bean
    Loop loop(
            ServeOptions options,
            SourceSettings settings,
            LiveSources sources,
            CurrentDiagnoses diagnoses,
            Deliveries deliveries,
            Changes changes,
            Metrics metrics,
            Clock clock,
            org.springframework.beans.factory.ObjectProvider<ShownRecording> recording) {
        return new Loop(
                settings,
                options.mappings().dictionary(),
                options.bounds(),
                sources,
                diagnoses,
                deliveries,
                changes,
                metrics,
                clock,
                recording.getIfAvailable());
    }
}
