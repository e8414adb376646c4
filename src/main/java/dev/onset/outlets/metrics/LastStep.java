package dev.onset.outlets.metrics;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.List;
import java.util.Map;

/**
 * What is told of the last step. It is read when somebody asks for {@code /metrics}, at most once a step: with ten
 * thousand mounts a step has more values than anybody reads.
 */
public interface LastStep {
    Health health();

    /** Answers of targets that came in and are not taken into the timeline yet, at this moment. */
    int waiting();

    /** Every diagnosis that is not resolved. */
    List<Diagnosis> current();

    /** By group, how far apart the requests of one instant began, 99th percentile in seconds. */
    Map<String, Double> skews();

    /** Hands over every value of the step, those that matter most first, because not all of them may be shown. */
    void values(Taker taker);

    /** Takes a signal's value. */
    @FunctionalInterface
    interface Taker {
        /**
         * @param part the device or accelerator inside the scope; empty where there is only one
         * @param value in the signal's unit; NaN where there is a gap
         */
        void take(Scope scope, Signal signal, String part, double value);
    }

    /** Before the first step. */
    LastStep NONE = new LastStep() {
        @Override
        public Health health() {
            return Health.UNKNOWN;
        }

        @Override
        public int waiting() {
            return 0;
        }

        @Override
        public List<Diagnosis> current() {
            return List.of();
        }

        @Override
        public Map<String, Double> skews() {
            return Map.of();
        }

        @Override
        public void values(Taker taker) {}
    };
}
