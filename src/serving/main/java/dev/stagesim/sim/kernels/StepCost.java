package dev.stagesim.sim.kernels;

/**
 * Parts of a step in microseconds.
 *
 * @param operatorsUs operators of the layers, communication included
 * @param headUs output head
 * @param samplerUs sampling
 * @param gapsUs idle time of the device between kernels
 * @param launchUs host time to launch the operators or the graph
 * @param controlUs host time before and after the step
 * @param graph whether a CUDA graph is replayed
 * @param overlap whether host and device work overlap
 */
public record StepCost(
        double operatorsUs,
        double headUs,
        double samplerUs,
        double gapsUs,
        double launchUs,
        double controlUs,
        boolean graph,
        boolean overlap) {
    /** Limiting resource of a step. */
    public enum Bound {
        /** Kernels on the device. */
        DEVICE,
        /** The host, which launches operators or prepares steps more slowly than the device executes them. */
        HOST;
    }

    /** Device time after the layers: output head and sampling. */
    double outputUs() {
        return headUs + samplerUs;
    }

    /** Device time: kernels and the gaps between them. */
    public double deviceUs() {
        return operatorsUs + headUs + samplerUs + gapsUs;
    }

    public double totalUs() {
        if (overlap) {
            return Math.max(deviceUs() + (graph ? launchUs : 0), Math.max(graph ? 0 : launchUs, controlUs));
        }
        return (graph ? deviceUs() + launchUs : Math.max(deviceUs(), launchUs)) + controlUs;
    }

    /** Exposed host time: the reduction of the step time with an infinitely fast host. */
    public double hostUs() {
        return totalUs() - deviceUs();
    }

    public Bound bound() {
        return hostUs() > deviceUs() ? Bound.HOST : Bound.DEVICE;
    }
}
