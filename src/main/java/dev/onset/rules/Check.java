package dev.onset.rules;

import dev.onset.signals.Text;

/**
 * One condition of a rule as it stood: for "why no diagnosis?".
 *
 * @param condition what is asked
 * @param value what was measured, with its unit; "–" where there is none
 * @param bound what it is compared with
 * @param met whether it holds
 */
public record Check(Text condition, String value, String bound, boolean met) {}
