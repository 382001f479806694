package dev.stagesim.sim.kernels;

/** Observed load of the devices that contain the experts of a layer. */
public interface ExpertTraffic {
    /** Rows of the busiest device relative to the mean. */
    double busiest();

    /** Maximum number of experts read on a device, for a total number of tokens of all devices. */
    double touched(int tokens);

    /** Number of changes so far. */
    int revision();
}
