package dev.onset.sources.settings;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Notes every name the binder looks for, present in the file or not, and goes on after a failure. Spring's own
 * NoUnboundElementsBindHandler stops at the first and cannot tell one section's keys from another's.
 */
final class Noting implements BindHandler {
    /** Told about each name that could not be bound. */
    @FunctionalInterface
    interface Failure {
        void at(ConfigurationPropertyName name, Class<?> type, Exception error);
    }

    private final Set<ConfigurationPropertyName> known;
    private final Failure failure;

    Noting(Set<ConfigurationPropertyName> known, Failure failure) {
        this.known = known;
        this.failure = failure;
    }

    @Override
    public <T> Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        known.add(name);
        return target;
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
        failure.at(name, target.getType().resolve(Object.class), error);
        return null;
    }
}
