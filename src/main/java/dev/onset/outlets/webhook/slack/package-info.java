/** Slack incoming webhooks. */
@NullMarked
package dev.onset.outlets.webhook.slack;

import org.jspecify.annotations.NullMarked;
