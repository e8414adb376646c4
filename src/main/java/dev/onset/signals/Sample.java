package dev.onset.signals;

/**
 * One number of one answer, already in the signal's unit.
 *
 * @param scope what it is about
 * @param signal what it measures; a counter's raw value for counters
 * @param part the device, accelerator or file system inside the scope; empty where there is only one
 * @param value may be any double except NaN
 */
public record Sample(Scope scope, Signal signal, String part, double value) {
    public static Sample of(Scope scope, Signal signal, double value) {
        return new Sample(scope, signal, "", value);
    }
}
