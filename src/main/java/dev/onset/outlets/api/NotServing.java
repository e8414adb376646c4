package dev.onset.outlets.api;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The settings would serve people who should not be served, or nobody: the service does not start. */
final class NotServing extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String remedy;

    NotServing(String message, String remedy) {
        super(message);
        this.remedy = remedy;
    }

    /** Prints the two sentences instead of a stack trace. */
    static final class Analyzer extends AbstractFailureAnalyzer<NotServing> {
        @Override
        protected FailureAnalysis analyze(Throwable root, NotServing cause) {
            return new FailureAnalysis(cause.getMessage(), cause.remedy, cause);
        }
    }
}
