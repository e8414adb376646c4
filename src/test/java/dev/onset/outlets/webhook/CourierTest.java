package dev.onset.outlets.webhook;

import static dev.onset.diagnoses.Deliveries.State.DELIVERED;
import static dev.onset.diagnoses.Deliveries.State.PENDING;
import static dev.onset.diagnoses.Deliveries.State.REFUSED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.OPENED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.RESOLVED;
import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.diagnoses.Deliveries.Entry;
import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Example;
import dev.onset.diagnoses.Outbox;
import dev.onset.diagnoses.Subscriber;
import dev.onset.diagnoses.store.SqliteStore;
import dev.onset.rules.Severity;
import dev.onset.signals.Text;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CourierTest {
    private static final Delivery DOWN = Delivery.retry("down", "不可用");
    private static final Pace FAST = new Pace(1000, Duration.ofMillis(1));

    @TempDir
    Path folder;

    private Instant now = Instant.ofEpochMilli(Example.OPENED + 60_000);
    private final InstantSource clock = () -> now;
    private final Chat chat = new Chat();
    private SqliteStore store;

    @BeforeEach
    void open() {
        store = SqliteStore.open(folder.resolve("onset.db"), List.of(new Subscriber("ops", Severity.S4)), clock);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void sends_each_message_once() {
        Courier courier = courier(FAST, store.outbox());
        keep("d1", "d2");

        runFor(courier, 10, Duration.ofSeconds(1));

        assertThat(chat.ids()).containsExactlyInAnyOrder("d1", "d2");
        assertThat(entry("d1").state()).isEqualTo(DELIVERED);
    }

    @Test
    void keeps_a_note_about_a_message_that_arrived() {
        chat.say(new Delivery.Delivered(Text.same("as plain text")));
        keep("d1");

        courier(FAST, store.outbox()).run();

        assertThat(entry("d1").state()).isEqualTo(DELIVERED);
        assertThat(entry("d1").reason().en()).isEqualTo("as plain text");
    }

    @Test
    void tries_again_with_growing_pauses_until_it_works() {
        Courier courier = courier(FAST, store.outbox());
        keep("d1");
        chat.say(DOWN, DOWN, DOWN, DOWN);

        List<Long> seconds = new ArrayList<>();
        Instant start = now;
        for (int i = 0; i < 60 && entry("d1").state() == PENDING; i++) {
            int before = chat.ids().size();
            courier.run();
            if (chat.ids().size() > before) {
                seconds.add(Duration.between(start, now).toSeconds());
            }
            now = now.plusSeconds(1);
        }

        assertThat(seconds).containsExactly(0L, 2L, 6L, 14L, 30L);
        assertThat(entry("d1").state()).isEqualTo(DELIVERED);
    }

    @Test
    void a_refusal_is_final_and_shown() {
        chat.say(Delivery.refused("no such channel", "频道不存在"));
        Courier courier = courier(FAST, store.outbox());
        keep("d1");

        runFor(courier, 5, Duration.ofMinutes(10));

        assertThat(chat.ids()).containsExactly("d1");
        assertThat(entry("d1").state()).isEqualTo(REFUSED);
        assertThat(store.outbox().tallies().get(0).lastError()).isEqualTo(new Text("no such channel", "频道不存在"));
    }

    @Test
    void stops_after_as_many_retries_as_the_receiver_allows() {
        Delivery busy = new Delivery.Retry(Text.same("busy"), Duration.ZERO, 3);
        chat.say(DOWN, busy, busy, busy, busy);
        Courier courier = courier(FAST, store.outbox());
        keep("d1");

        runFor(courier, 20, Duration.ofMinutes(10));

        assertThat(chat.ids()).hasSize(5);
        assertThat(entry("d1").state()).isEqualTo(REFUSED);
        assertThat(entry("d1").reason().en()).isEqualTo("given up after 4 attempts: busy");
    }

    @Test
    void gives_up_after_three_days() {
        chat.always(DOWN);
        Courier courier = courier(FAST, store.outbox());
        keep("d1");

        runFor(courier, 80, Duration.ofHours(1));

        assertThat(entry("d1").state()).isEqualTo(REFUSED);
        assertThat(entry("d1").reason()).isEqualTo(new Text("given up after three days: down", "三天后放弃：不可用"));
    }

    @Test
    void a_receiver_that_wants_a_pause_gets_nothing_else_meanwhile() {
        chat.say(Delivery.retry("too fast", "过快", Duration.ofMinutes(10)));
        Courier courier = courier(FAST, store.outbox());
        keep("d1", "d2", "d3");

        runFor(courier, 599, Duration.ofSeconds(1));
        assertThat(chat.ids()).containsExactly("d1");

        runFor(courier, 2, Duration.ofSeconds(1));
        assertThat(chat.ids()).containsExactlyInAnyOrder("d1", "d2", "d3", "d1");
    }

    @Test
    void keeps_to_the_pace() {
        Courier courier = courier(new Pace(5, Duration.ofSeconds(4)), store.outbox());
        keep("d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9");

        courier.run();
        assertThat(chat.ids()).hasSize(1);
        runFor(courier, 9, Duration.ofSeconds(1));
        assertThat(chat.ids()).hasSize(3);
        now = now.plusSeconds(3600);
        courier.run();
        assertThat(chat.ids()).hasSize(8);
    }

    @Test
    void a_clock_that_is_set_back_does_not_stop_the_messages() {
        Courier courier = courier(new Pace(1, Duration.ofSeconds(1)), store.outbox());
        keep("d1");
        courier.run();
        now = now.minusSeconds(3600);
        keep("d2");

        runFor(courier, 5, Duration.ofSeconds(1));

        assertThat(chat.ids()).containsExactly("d1", "d2");
    }

    @Test
    void a_message_that_always_fails_does_not_hold_the_others_back() {
        chat.fail("d1");
        Courier courier = courier(FAST, store.outbox());
        keep("d1", "d2", "d3");

        runFor(courier, 30, Duration.ofSeconds(1));

        assertThat(chat.ids()).contains("d2", "d3");
        assertThat(entry("d1").state()).isEqualTo(PENDING);
    }

    @Test
    void the_end_of_a_diagnosis_is_not_told_before_its_beginning() {
        chat.say(DOWN);
        Courier courier = courier(FAST, store.outbox());
        keep("d1");
        keep(diagnosis("d1").resolvedAt(now.toEpochMilli()).change(RESOLVED));

        runFor(courier, 10, Duration.ofSeconds(1));

        assertThat(chat.kinds).containsExactly(OPENED, OPENED, RESOLVED);
    }

    @Test
    void a_bug_in_a_receiver_costs_its_message_and_no_more() {
        chat.throwOnce = true;
        keep("d1", "d2");

        runFor(courier(FAST, store.outbox()), 2, Duration.ofSeconds(1));

        assertThat(entry("d1").state()).isEqualTo(REFUSED);
        assertThat(entry("d1").reason().en()).isEqualTo("a bug in Onset: IllegalStateException");
        assertThat(entry("d2").state()).isEqualTo(DELIVERED);
    }

    /** The disk is full just when a message was confirmed: it is not sent again, and it is marked when there is room. */
    @Test
    void a_confirmed_message_that_could_not_be_marked_is_marked_later_and_not_repeated() {
        FullDisk outbox = new FullDisk(store.outbox());
        Courier courier = courier(FAST, outbox);
        keep("d1", "d2");
        outbox.full = true;

        runFor(courier, 10, Duration.ofMinutes(10));
        assertThat(chat.ids()).containsExactly("d1");
        assertThat(entry("d1").state()).isEqualTo(PENDING);

        outbox.full = false;
        runFor(courier, 2, Duration.ofSeconds(1));
        assertThat(chat.ids()).containsExactly("d1", "d2");
        assertThat(entry("d1").state()).isEqualTo(DELIVERED);
    }

    @Test
    void what_waited_when_the_process_ended_is_sent_by_the_next_one() {
        chat.say(DOWN);
        keep("d1");
        courier(FAST, store.outbox()).run();
        close();
        open();
        now = now.plusSeconds(2);

        courier(FAST, store.outbox()).run();

        assertThat(chat.ids()).containsExactly("d1", "d1");
        assertThat(chat.messages).extracting(Message::id).containsOnly("d1/opened/" + Example.OPENED);
    }

    private Courier courier(Pace pace, Outbox outbox) {
        ReceiverSettings settings = new ReceiverSettings(0, "ops", "chat", Language.EN, Severity.S4);
        return new Courier(new Receivers.Configured(settings, chat, pace), outbox, "", clock);
    }

    private void runFor(Courier courier, int times, Duration step) {
        for (int i = 0; i < times; i++) {
            courier.run();
            now = now.plus(step);
        }
    }

    private void keep(String... ids) {
        for (String id : ids) {
            keep(diagnosis(id).change(OPENED));
        }
    }

    private void keep(DiagnosisChange change) {
        store.diagnoses().keep(List.of(change.diagnosis()), List.of(change));
    }

    private Entry entry(String id) {
        return store.outbox().of(id).get(0);
    }

    /** Says what it is told to say, then that all is well. */
    private static final class Chat implements Receiver {
        private final Queue<Delivery> answers = new ArrayDeque<>();
        private final List<Message> messages = new ArrayList<>();
        private final List<DiagnosisChange.Kind> kinds = new ArrayList<>();
        private Delivery otherwise = Delivery.delivered();
        private String failing = "";
        private boolean throwOnce;

        void say(Delivery... next) {
            answers.addAll(List.of(next));
        }

        void always(Delivery delivery) {
            otherwise = delivery;
        }

        void fail(String id) {
            failing = id;
        }

        List<String> ids() {
            return messages.stream().map(message -> message.diagnosis().id()).toList();
        }

        @Override
        public String name() {
            return "ops";
        }

        @Override
        public Delivery deliver(Message message) {
            messages.add(message);
            kinds.add(message.kind());
            if (throwOnce) {
                throwOnce = false;
                throw new IllegalStateException("a bug");
            }
            if (message.diagnosis().id().equals(failing)) {
                return DOWN;
            }
            Delivery answer = answers.poll();
            return answer == null ? otherwise : answer;
        }
    }

    /** Lets claims through and loses marks, as a disk does that fills up in between. */
    private static final class FullDisk implements Outbox {
        private final Outbox outbox;
        private boolean full;

        FullDisk(Outbox outbox) {
            this.outbox = outbox;
        }

        @Override
        public Optional<Queued> claim(String receiver, long nowMillis, long untilMillis) {
            return outbox.claim(receiver, nowMillis, untilMillis);
        }

        @Override
        public void delivered(Queued message, long nowMillis, Text note) {
            check();
            outbox.delivered(message, nowMillis, note);
        }

        @Override
        public void refused(Queued message, long nowMillis, Text reason) {
            check();
            outbox.refused(message, nowMillis, reason);
        }

        @Override
        public void again(Queued message, long nowMillis, long dueMillis, Text reason) {
            check();
            outbox.again(message, nowMillis, dueMillis, reason);
        }

        @Override
        public void tidy(Set<String> configured, long nowMillis) {
            outbox.tidy(configured, nowMillis);
        }

        private void check() {
            if (full) {
                throw new StoreUnavailable("the disk is full", new IllegalStateException());
            }
        }
    }
}
