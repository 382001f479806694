package dev.stagesim.sim.kernels;

/** What tokens do to the devices that hold the experts of a layer, where that is known and changes. */
public interface ExpertTraffic {
    /** Rows of the busiest device beside the mean of all. */
    double busiest();

    /** Experts that the device reads which reads most, for so many tokens of all devices together. */
    double touched(int tokens);

    /** Counts the changes of these. */
    int revision();
}
