package dev.stagesim.sim.training;

/**
 * How much longer exchanges take on a simulated network than by their formulas.
 *
 * @param context keys and values of context parallelism
 * @param expert tokens of experts
 * @param data gradients and weights of all replicas
 */
record LinkRatios(double context, double expert, double data, double expertData) {
    static final LinkRatios NONE = new LinkRatios(1, 1, 1, 1);
}
