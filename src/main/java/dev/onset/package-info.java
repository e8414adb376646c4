/** Composition of the service: one tick from left to right, the commands, the settings. */
@NullMarked
package dev.onset;

import org.jspecify.annotations.NullMarked;
