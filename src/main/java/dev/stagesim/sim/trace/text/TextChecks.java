package dev.stagesim.sim.trace.text;

import dev.stagesim.model.StageException;
import java.math.BigInteger;
import java.util.List;

/** What the reference lets pass and the simulation of the trace suffers from. */
final class TextChecks {
    private TextChecks() {}

    static void check(TextWorkload workload, TextOptions options, NodeList list) {
        int rows = workload.layers().size();
        if (!workload.count().equals(BigInteger.valueOf(rows))) {
            throw workload.wrong(2, "the layer count is " + workload.count() + ", but there are " + rows + " layers");
        }
        if (rows == 0) {
            throw workload.wrong(2, "there are no layers, so a simulation would never start");
        }
        if (TextProgram.hasGroups(workload)) {
            if (options.numNpus() % options.modelGroup() != 0) {
                list.problem("groups of " + options.modelGroup() + " do not divide " + options.numNpus()
                        + " processors evenly");
            }
            if (options.namesDims()) {
                list.problem("num_dims has no effect: collectives are among groups, not dimensions");
            }
        }
    }

    static void checkNodes(TextWorkload workload, List<TextNode> nodes) {
        if (nodes.stream().allMatch(node -> !node.collective() && node.amount() == 0)) {
            throw StageException.input(workload.problem(2, "there is nothing to compute and nothing to communicate"));
        }
    }
}
