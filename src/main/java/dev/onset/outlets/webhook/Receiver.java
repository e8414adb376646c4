package dev.onset.outlets.webhook;

/** A chat or another service that is told about diagnoses. Its {@code toString} holds no secret. */
public interface Receiver {
    /** As configured. */
    String name();

    /** Tries once; anything that goes wrong outside is a value, not an exception. */
    Delivery deliver(Message message);
}
