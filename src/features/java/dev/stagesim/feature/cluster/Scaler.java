package dev.stagesim.feature.cluster;

/** Decides at equal intervals how many instances a pool is to have. */
interface Scaler {
    /**
     * A pool as a rule sees it.
     *
     * @param now seconds
     * @param ready instances that take requests
     * @param starting instances that will
     * @param total the metric, over all ready instances and what waits for one
     */
    record Load(double now, int ready, int starting, double total) {
        int instances() {
            return ready + starting;
        }
    }

    /** Seconds between two looks. */
    double interval();

    /** Instances that there are to be; the caller keeps it within its limits. */
    int desired(Load load);
}
