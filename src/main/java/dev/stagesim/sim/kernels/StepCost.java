package dev.stagesim.sim.kernels;

/**
 * Parts of a step in microseconds.
 *
 * @param operatorsUs operators of the layers, communication included
 * @param headUs the output head
 * @param samplerUs choosing tokens
 * @param gapsUs idle time of the device between kernels
 * @param launchUs time of the host to launch the operators, or the graph
 * @param controlUs time of the host around the step
 * @param graph whether a captured graph is replayed
 * @param overlap whether the host's work runs beside the device's
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
    /** What decides how long a step takes. */
    public enum Bound {
        /** The kernels on the device. */
        DEVICE,
        /** The host, which launches operators or prepares steps slower than the device runs them. */
        HOST;
    }

    /** Time of the device: kernels and the gaps between them. */
    public double deviceUs() {
        return operatorsUs + headUs + samplerUs + gapsUs;
    }

    public double totalUs() {
        if (overlap) {
            return Math.max(deviceUs() + (graph ? launchUs : 0), Math.max(graph ? 0 : launchUs, controlUs));
        }
        return (graph ? deviceUs() + launchUs : Math.max(deviceUs(), launchUs)) + controlUs;
    }

    /** Time that is the host's alone: what the step would be shorter by with an infinitely fast one. */
    public double hostUs() {
        return totalUs() - deviceUs();
    }

    public Bound bound() {
        return hostUs() > deviceUs() ? Bound.HOST : Bound.DEVICE;
    }
}
