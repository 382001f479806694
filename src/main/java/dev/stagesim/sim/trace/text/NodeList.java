package dev.stagesim.sim.trace.text;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The nodes of one processor while they are made; identities count from 0, and what is wrong is collected. */
final class NodeList {
    /** Identity that stands for a node that does not exist. */
    static final long ABSENT = -1;

    private static final int TIME_BITS = 64;
    private static final List<String> TYPES =
            List.of("ALLREDUCE", "ALLTOALL", "ALLGATHER", "REDUCESCATTER", TextLayer.NONE);

    private final TextWorkload workload;
    private final TextOptions options;
    private final List<TextNode> nodes = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();

    NodeList(TextWorkload workload, TextOptions options) {
        this.workload = workload;
        this.options = options;
    }

    List<TextNode> nodes() {
        return nodes;
    }

    List<Problem> problems() {
        return problems;
    }

    boolean likeReference() {
        return options.likeReference();
    }

    /** Adds a computation; parents that are absent are left out. */
    long compute(TextLayer layer, String pass, TextLayer.Step step, long... parents) {
        if (step.time().signum() < 0 || step.time().bitLength() > TIME_BITS) {
            problem(layer, "a time of " + step.time() + " is out of range");
        }
        return add(layer.name(), pass, false, step.time(), TextNode.Span.ALL, parents);
    }

    /**
     * Adds a collective, or nothing where there is nothing to communicate.
     *
     * @param suffix what the name has between layer and type
     * @return its identity, or {@link #ABSENT}
     */
    long collective(TextLayer layer, String suffix, TextLayer.Step step, TextNode.Span span, long... parents) {
        if (!options.schema().fits(step.size())) {
            problem(layer, "a size of " + step.size() + " is out of range");
        }
        if (options.isAlone(span) || (options.skipsNone() && step.type().equals(TextLayer.NONE))) {
            return ABSENT;
        }
        if (!likeReference()) {
            check(layer, step, span);
        }
        return add(layer.name() + suffix, step.type(), true, step.size(), span, parents);
    }

    /** What would hang, or be taken for something else, when the trace is run. */
    private void check(TextLayer layer, TextLayer.Step step, TextNode.Span span) {
        if (!TYPES.contains(step.type())) {
            problems.add(workload.problem(layer.line(), "unknown collective '" + step.type() + "'")
                    .options(TYPES)
                    .didYouMean(Suggest.near(step.type(), TYPES)));
        }
        if (step.size().signum() < 0) {
            problem(layer, "a collective cannot have " + step.size() + " bytes");
        } else if (step.size().signum() == 0 && step.type().equals("ALLGATHER")) {
            problem(layer, "an ALLGATHER of 0 bytes would never end; NONE says that there is no collective");
        }
        if (span == TextNode.Span.OTHERS && options.namesDims() && options.numDims() == 1) {
            problem(layer, "a collective over all dimensions but the first would never end with num_dims=1");
        }
    }

    private long add(
            String layer, String step, boolean collective, BigInteger amount, TextNode.Span span, long[] parents) {
        long id = nodes.size();
        long[] present =
                Arrays.stream(parents).filter(parent -> parent != ABSENT).toArray();
        nodes.add(new TextNode(id, layer, step, collective, amount.longValue(), span, present));
        return id;
    }

    /** Notes that something is wrong with a layer. */
    void problem(TextLayer layer, String what) {
        problems.add(workload.problem(layer.line(), what));
    }

    /** Notes that something is wrong with the first line. */
    void problem(String what) {
        problems.add(workload.problem(1, what));
    }
}
