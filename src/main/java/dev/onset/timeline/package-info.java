/** One time axis: aligned columns, gaps, windows, baselines, onsets. Pure: no I/O, no Spring, no clock. */
@NullMarked
package dev.onset.timeline;

import org.jspecify.annotations.NullMarked;
