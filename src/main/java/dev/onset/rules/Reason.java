package dev.onset.rules;

import dev.onset.signals.Text;

/**
 * One line of an argument: a look-alike that is ruled out with the number that rules it out, or a check that could not
 * be made with what would make it possible.
 *
 * @param what the look-alike or the check
 * @param why the number, or what is missing
 */
public record Reason(Text what, Text why) {}
