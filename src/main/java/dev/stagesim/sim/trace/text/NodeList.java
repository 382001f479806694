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
     * Adds a collective, or nothing if there is nothing to communicate. A transformer's collective of 0 bytes, which SimAI
     * writes for models without experts, is nothing.
     *
     * @param suffix what the name has between layer and type
     * @return its identity, or {@link #ABSENT}
     */
    long collective(TextLayer layer, String suffix, TextLayer.Step step, TextNode.Span span, long... parents) {
        TextNode.Span group = span.isGroup() ? group(step.type(), span) : span;
        String type = group == span ? step.type() : step.type().replaceFirst("(_DP)?_EP$", "");
        return collective(
                layer, suffix, new TextLayer.Step(step.time(), type, step.size()), group, parents, span.isGroup());
    }

    /** SimAI names the group of experts at the end of the type. */
    private static TextNode.Span group(String type, TextNode.Span usual) {
        if (type.endsWith("_DP_EP")) {
            return TextNode.Span.EXPERT_DATA_GROUP;
        }
        return type.endsWith("_EP") ? TextNode.Span.EXPERT_GROUP : usual;
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

    /** What would hang, or be taken for something else, when the trace is run. */
    private void check(TextLayer layer, TextLayer.Step step, TextNode.Span span, boolean skipsEmpty) {
        if (!TYPES.contains(step.type())) {
            problems.add(workload.problem(layer.line(), "unknown collective '" + step.type() + "'")
                    .options(TYPES)
                    .didYouMean(Suggest.near(step.type(), TYPES)));
        }
        if (step.size().signum() < 0) {
            problem(layer, "a collective cannot have " + step.size() + " bytes");
        } else if (!skipsEmpty && step.size().signum() == 0 && step.type().equals("ALLGATHER")) {
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
