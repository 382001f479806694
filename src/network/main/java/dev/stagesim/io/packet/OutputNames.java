package dev.stagesim.io.packet;

import java.util.List;
import java.util.Optional;

/**
 * Names of the reference's output files in a run.
 *
 * @param flows completed flows
 * @param queues samples of queues
 * @param frames frames of traced nodes
 */
public record OutputNames(String flows, String pauses, String queues, String frames) {
    public static final String TOPOLOGY = "topology.txt";

    /** The default names. */
    public static final OutputNames DEFAULT = new OutputNames("fct.txt", "pfc.txt", "qlen.txt", "mix.tr");

    Optional<String> clash() {
        List<String> all = List.of(flows, pauses, queues, frames, TOPOLOGY);
        return all.stream()
                .filter(name -> all.indexOf(name) != all.lastIndexOf(name))
                .findFirst();
    }
}
