package dev.onset.outlets.webhook;

import ch.qos.logback.classic.Level;
import dev.onset.diagnoses.Deliveries;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Example;
import dev.onset.diagnoses.store.SqliteStore;
import dev.onset.outlets.webhook.generic.GenericReceiver;
import dev.onset.outlets.webhook.generic.GenericSettings;
import dev.onset.rules.Severity;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.LoggerFactory;

/**
 * The store and the outbox worker in a process of their own, to be killed. Prints {@code kept ID} for each message that
 * the store has acknowledged.
 */
final class KilledService {
    private static final AtomicLong CLOCK = new AtomicLong(Example.OPENED);

    private KilledService() {}

    /** Arguments: file, URL, name of the run, and whether to open diagnoses or only send what is left. */
    public static void main(String[] args) throws InterruptedException {
        if (LoggerFactory.getLogger("ROOT") instanceof ch.qos.logback.classic.Logger root) {
            root.setLevel(Level.WARN);
        }
        InstantSource clock = InstantSource.system();
        Receivers receivers = receivers(args[1], clock);
        try (SqliteStore store = SqliteStore.open(Path.of(args[0]), receivers.subscribers(), clock);
                OutboxWorker worker = new OutboxWorker(store.outbox(), receivers, clock)) {
            worker.start();
            System.out.println("ready");
            if (args[3].equals("open")) {
                open(store, args[2]);
            } else {
                drain(store.outbox());
            }
        }
    }

    private static Receivers receivers(String url, InstantSource clock) {
        ReceiverSettings common = new ReceiverSettings(0, "ops", "generic", Language.EN, Severity.S3);
        Receiver receiver =
                new GenericReceiver.Type().create(common, new GenericSettings(url, null, null), HttpPost.create(clock));
        Pace fast = new Pace(1000, Duration.ofMillis(1));
        return new Receivers(List.of(new Receivers.Configured(common, receiver, fast)), "");
    }

    private static void open(SqliteStore store, String run) throws InterruptedException {
        for (Diagnosis left : store.diagnoses().unresolved()) {
            keep(store, Example.diagnosis(left.id()).resolvedAt(tick()).change(DiagnosisChange.Kind.RESOLVED));
        }
        for (int i = 0; ; i++) {
            String id = run + "-" + i;
            keep(store, Example.diagnosis(id).change(DiagnosisChange.Kind.OPENED));
            if (i % 3 == 0) {
                keep(store, Example.diagnosis(id).resolvedAt(tick()).change(DiagnosisChange.Kind.RESOLVED));
            }
            Thread.sleep(3);
        }
    }

    private static long tick() {
        return CLOCK.addAndGet(1000);
    }

    private static void keep(SqliteStore store, DiagnosisChange change) {
        store.diagnoses().keep(List.of(change.diagnosis()), List.of(change));
        System.out.println("kept " + change.messageId());
    }

    private static void drain(Deliveries deliveries) throws InterruptedException {
        while (deliveries.tallies().stream()
                        .mapToLong(Deliveries.Tally::pending)
                        .sum()
                > 0) {
            Thread.sleep(50);
        }
    }
}
