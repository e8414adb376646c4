/** Where diagnoses go: page and API, webhooks, metrics. No detection. */
@NullMarked
package dev.onset.outlets;

import org.jspecify.annotations.NullMarked;
