package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** Short stalls of hosts that cannot take data in as fast as it comes. */
final class Stalls {
    /** Length of a stall in ns. */
    static final long LENGTH = 10_000;

    /** Time after a stall during which there is no other, in ns. */
    static final long REST = 1_000_000;

    /** Whether hosts stall at all. */
    final boolean active;

    private final int[] left;
    private final boolean[] sensitive;

    Stalls(State state) {
        active = state.spec.transport().stalls() > 0;
        left = new int[active ? state.spec.topology().nodes() : 0];
        sensitive = new boolean[left.length];
        Arrays.fill(left, state.spec.transport().stalls());
        Arrays.fill(sensitive, true);
    }

    /** Whether a host on which data arrives stalls now. */
    boolean begin(int host) {
        if (!sensitive[host]) {
            return false;
        }
        sensitive[host] = false;
        return left[host]-- > 0;
    }

    void ready(int host) {
        sensitive[host] = true;
    }
}
