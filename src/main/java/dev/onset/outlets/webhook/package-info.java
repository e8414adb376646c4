/** Messages to chats and other services: one sub-folder a receiver, one worker that empties the outbox. */
@NullMarked
package dev.onset.outlets.webhook;

import org.jspecify.annotations.NullMarked;
