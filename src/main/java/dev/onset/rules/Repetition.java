package dev.onset.rules;

/**
 * How often the effect followed the cause, against chance.
 *
 * @param causes how many times the cause happened in the window
 * @param effects how many times the effect happened
 * @param followed how many effects had the cause in their lead window
 * @param together how many of those are in the same step, so that their order is not visible
 * @param counterExamples effects that clearly came before a cause
 * @param medianLeadSeconds between the two onsets; NaN without a pair
 * @param chance probability of as many coincidences if the two had nothing to do with each other; 1 where not tested
 * @param equalPeriods both repeat with the same period, so that the coincidences count as one
 */
public record Repetition(
        int causes,
        int effects,
        int followed,
        int together,
        int counterExamples,
        double medianLeadSeconds,
        double chance,
        boolean equalPeriods) {}
