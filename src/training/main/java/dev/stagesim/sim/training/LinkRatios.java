package dev.stagesim.sim.training;

/**
 * Ratios of simulated to closed-form communication times.
 *
 * @param context exchange of keys and values in context parallelism
 * @param expert exchange of tokens with experts
 * @param data gradients and weights of dense layers
 * @param expertData gradients and weights of experts
 */
record LinkRatios(double context, double expert, double data, double expertData) {
    static final LinkRatios NONE = new LinkRatios(1, 1, 1, 1);
}
