package dev.onset.outlets.webhook;

/**
 * A kind of receiver: what {@code type} selects in the settings. A new kind is a folder with a component of this type.
 *
 * @param <S> the settings that only this kind has; each component is a key beside {@code name} and {@code type}
 */
public interface ReceiverType<S extends Record> {
    /** The value of {@code type}. */
    String id();

    Class<S> settings();

    /** How fast the service lets us send. */
    Pace pace();

    /**
     * @throws IllegalArgumentException when a setting is wrong, naming it as {@link ReceiverSettings#key} gives it
     */
    Receiver create(ReceiverSettings common, S own, HttpPost http);
}
