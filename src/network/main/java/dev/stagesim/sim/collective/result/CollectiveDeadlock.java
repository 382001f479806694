package dev.stagesim.sim.collective.result;

import java.util.List;

/**
 * Why NPUs never finished.
 *
 * @param waiting reason for each of them, by rank; at most {@value #MAX_LISTED}
 * @param stuckNpus number of NPUs that never finished
 * @param cycle ranks that wait for each other in a cycle, the first not repeated; empty if there is none
 * @param causes descriptions of the recognised causes found; may be empty
 */
public record CollectiveDeadlock(List<Waiting> waiting, int stuckNpus, List<Integer> cycle, List<String> causes) {
    public static final int MAX_LISTED = 64;

    public CollectiveDeadlock {
        waiting = List.copyOf(waiting);
        cycle = List.copyOf(cycle);
        causes = List.copyOf(causes);
    }

    /**
     * One waiting NPU.
     *
     * @param npu its rank
     * @param nodes ids of the started, incomplete nodes
     * @param what description of the wait
     * @param peers ranks whose messages it waits for, ascending
     */
    public record Waiting(int npu, List<Long> nodes, String what, List<Integer> peers) {
        public Waiting {
            nodes = List.copyOf(nodes);
            peers = List.copyOf(peers);
        }
    }
}
