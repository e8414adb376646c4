/** What Prometheus reads from us: our own health, the active diagnoses, the aligned signals. */
@NullMarked
package dev.onset.outlets.metrics;

import org.jspecify.annotations.NullMarked;
