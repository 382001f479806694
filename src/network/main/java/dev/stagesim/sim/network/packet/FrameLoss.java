package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.packet.random.Mrg32k3a;
import dev.stagesim.sim.network.packet.state.State;

/**
 * Random loss of frames on cables. A cable with an individual loss rate draws from its own generator; all other cables
 * share one. In the reference all generators produce the same sequence.
 */
final class FrameLoss {
    private static final long STREAM = (1L << 63) + 50;

    /** True if any frame can be lost. */
    final boolean active;

    private final double[] probability;
    private final Mrg32k3a[] generators;

    FrameLoss(State state) {
        var cables = state.spec.topology().cables();
        double common = state.spec.lossRate();
        active = common > 0 || cables.stream().anyMatch(cable -> cable.lossRate() > 0);
        probability = new double[active ? cables.size() : 0];
        generators = new Mrg32k3a[probability.length];
        if (active) {
            Mrg32k3a shared = Mrg32k3a.stream(STREAM);
            for (int i = 0; i < probability.length; i++) {
                double own = cables.get(i).lossRate();
                probability[i] = own > 0 ? own : common;
                generators[i] = own > 0 ? Mrg32k3a.stream(state.spec.asReference() ? STREAM : STREAM + 1 + i) : shared;
            }
        }
    }

    /** True if the frame that arrives at {@code port} is lost; one draw per call. */
    boolean drops(int port) {
        int cable = port >> 1;
        return generators[cable].next() < probability[cable];
    }
}
