/** The vocabulary: signal, unit, kind, scope, and the dictionary from exporters' metric names to signals. No I/O. */
@NullMarked
package dev.onset.signals;

import org.jspecify.annotations.NullMarked;
