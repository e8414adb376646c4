/** Where answers come from: exporters, Redis, recordings. Knows signals only, no rules. */
@NullMarked
package dev.onset.sources;

import org.jspecify.annotations.NullMarked;
