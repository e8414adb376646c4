package dev.onset.outlets.webhook;

import dev.onset.signals.Text;
import java.time.Duration;
import java.util.function.Function;

/** What became of one attempt to deliver a message. Reasons never hold a secret. */
public sealed interface Delivery {
    /**
     * It arrived.
     *
     * @param note what to know although it arrived; empty for nothing
     */
    record Delivered(Text note) implements Delivery {}

    /** It will never arrive: trying again cannot help until a person changes something. */
    record Refused(Text reason) implements Delivery {}

    /**
     * It may arrive later.
     *
     * @param after do not try before; zero leaves it to the worker's back-off
     * @param retries how many failures in a row for this reason are tried again; more than that is a refusal
     */
    record Retry(Text reason, Duration after, int retries) implements Delivery {}

    static Delivery delivered() {
        return new Delivered(Text.same(""));
    }

    static Delivery refused(String english, String chinese) {
        return new Refused(new Text(english, chinese));
    }

    static Delivery retry(String english, String chinese) {
        return retry(english, chinese, Duration.ZERO);
    }

    static Delivery retry(String english, String chinese, Duration after) {
        return new Retry(new Text(english, chinese), after, Integer.MAX_VALUE);
    }

    /** One function per case, checked by the compiler. */
    default <T> T fold(Function<Delivered, T> delivered, Function<Refused, T> refused, Function<Retry, T> retry) {
        if (this instanceof Delivered d) {
            return delivered.apply(d);
        }
        return this instanceof Refused r ? refused.apply(r) : retry.apply((Retry) this);
    }
}
