/** Recordings: answers written to a file as they came, and read back. */
@NullMarked
package dev.onset.sources.recording;

import org.jspecify.annotations.NullMarked;
