package dev.onset.diagnoses;

/**
 * What an incident cost so far: Σ (healthy utilisation − utilisation) × devices × step.
 *
 * @param acceleratorSeconds best estimate
 * @param low with the healthy utilisation at the low end of its spread
 * @param high with the healthy utilisation at the high end
 * @param devices how many accelerators were counted
 */
public record Cost(double acceleratorSeconds, double low, double high, int devices) {
    public static final Cost NONE = new Cost(0, 0, 0, 0);
}
