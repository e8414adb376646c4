/** One class a rule: a pure function from a window to quiet, found or unsure. */
@NullMarked
package dev.onset.rules;

import org.jspecify.annotations.NullMarked;
