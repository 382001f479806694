package dev.stagesim.sim.trace.text;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds the nodes of one processor, with ids from 0, and collects the problems found. */
final class NodeList {
    /** Id that denotes no node. */
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

    /** Adds a computation; {@link #ABSENT} parents are dropped. */
    long compute(TextLayer layer, String pass, TextLayer.Step step, long... parents) {
        if (step.time().signum() < 0 || step.time().bitLength() > TIME_BITS) {
            problem(layer, "a time of " + step.time() + " is out of range");
        }
        return add(layer.name(), pass, false, step.time(), TextNode.Span.ALL, parents);
    }

    /**
     * Adds a collective, or nothing if there is no data. A transformer's collective of 0 bytes, which SimAI writes for
     * models without experts, is skipped.
     *
     * @param suffix text between layer and type in the node's name
     * @return its id, or {@link #ABSENT}
     */
    long collective(TextLayer layer, String suffix, TextLayer.Step step, TextNode.Span span, long... parents) {
        TextNode.Span group = span.isGroup() ? group(step.type(), span) : span;
        String type = group == span ? step.type() : step.type().replaceFirst("(_DP)?_EP$", "");
        return collective(
                layer, suffix, new TextLayer.Step(step.time(), type, step.size()), group, parents, span.isGroup());
    }

    /** SimAI encodes the expert group as a suffix of the type. */
    private static TextNode.Span group(String type, TextNode.Span defaultSpan) {
        if (type.endsWith("_DP_EP")) {
            return TextNode.Span.EXPERT_DATA_GROUP;
        }
        return type.endsWith("_EP") ? TextNode.Span.EXPERT_GROUP : defaultSpan;
    }

    private long collective(
            TextLayer layer,
            String suffix,
            TextLayer.Step step,
            TextNode.Span span,
            long[] parents,
            boolean skipsEmpty) {
        if (!options.schema().fits(step.size())) {
            problem(layer, "a size of " + step.size() + " is out of range");
        }
        if (options.skipsNone() && step.type().equals(TextLayer.NONE)) {
            return ABSENT;
        }
        if (!likeReference()) {
            check(layer, step, span, skipsEmpty);
        }
        if (options.isAlone(span) || (skipsEmpty && step.size().signum() == 0)) {
            return ABSENT;
        }
        return add(layer.name() + suffix, step.type(), true, step.size(), span, parents);
    }

    /** Rejects collectives that would hang or be misinterpreted in a simulation. */
    private void check(TextLayer layer, TextLayer.Step step, TextNode.Span span, boolean skipsEmpty) {
        if (!TYPES.contains(step.type())) {
            problems.add(workload.problem(layer.line(), "unknown collective '" + step.type() + "'")
                    .options(TYPES)
                    .didYouMean(Suggest.near(step.type(), TYPES)));
        }
        if (step.size().signum() < 0) {
            problem(layer, "a collective cannot have " + step.size() + " bytes");
        } else if (!skipsEmpty && step.size().signum() == 0 && step.type().equals("ALLGATHER")) {
            problem(layer, "an ALLGATHER of 0 bytes would never end; use NONE for no collective");
        }
        if (span == TextNode.Span.OTHERS && options.namesDims() && options.numDims() == 1) {
            problem(layer, "a collective over all dimensions but the first would never end with num_dims=1");
        }
    }

    private long add(
            String layer, String step, boolean collective, BigInteger amount, TextNode.Span span, long[] parents) {
        long id = nodes.size();
        int present = 0;
        for (long parent : parents) {
            if (parent != ABSENT) {
                parents[present++] = parent;
            }
        }
        long[] kept = present == parents.length ? parents : Arrays.copyOf(parents, present);
        nodes.add(new TextNode(id, layer, step, collective, amount.longValue(), span, kept));
        return id;
    }

    /** Records a problem in a layer's line. */
    void problem(TextLayer layer, String what) {
        problems.add(workload.problem(layer.line(), what));
    }

    /** Records a problem in the first line. */
    void problem(String what) {
        problems.add(workload.problem(1, what));
    }
}
