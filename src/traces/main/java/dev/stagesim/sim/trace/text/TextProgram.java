package dev.stagesim.sim.trace.text;

import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The program of a workload text: the nodes that every processor runs.
 *
 * <p>Traces of processors differ only in node ids, which continue from one processor to the next, and in the
 * processors' groups.
 */
public final class TextProgram {
    private static final String SUFFIX = "_IG_COMM_";
    private static final String BOTTOM_LAYER = "DLRM_LAST_BOTTOM_LAYER";

    private final TextWorkload workload;
    private final TextOptions options;
    private final List<TextNode> nodes;

    /** Creates a parallelism from the arguments of the first line. */
    @FunctionalInterface
    private interface Factory {
        TextParallelism of(TextWorkload workload);
    }

    private static final List<String> TRANSFORMERS = List.of("HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD");

    /** Parallelisms of the reference, by name. */
    private static final SortedMap<String, Factory> KNOWN = new TreeMap<>();

    static {
        KNOWN.put("MICRO", MicroBenchmark::new);
        KNOWN.put("DATA", DataParallel::new);
        KNOWN.put("MODEL", w -> new LayerChain(w, layer -> LayerSpans.MODEL, "", Recomputation.NONE));
        KNOWN.put(
                "HYBRID_DATA_MODEL",
                w -> new LayerChain(w, layer -> LayerSpans.DATA_MODEL, SUFFIX, Recomputation.NONE));
        KNOWN.put("HYBRID_MODEL_DATA", w -> new LayerChain(w, layer -> LayerSpans.MODEL_DATA, "", Recomputation.NONE));
        KNOWN.put("HYBRID_DLRM", w -> new Recommendation(w, bottom(w)));
        KNOWN.put("HYBRID_DLRM_ENHANCED", w -> new Recommendation(w, bottom(w)));
    }

    private static final SortedMap<String, Factory> FURTHER = new TreeMap<>();

    static {
        FURTHER.put(
                "HYBRID_TRANSFORMER", w -> new LayerChain(w, layer -> LayerSpans.GROUPS, "", withoutRecomputation(w)));
        FURTHER.put(
                "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                w -> new LayerChain(
                        w, layer -> LayerSpans.GROUPS, "", TextHeader.of(w).recomputation()));
        FURTHER.put("HYBRID_CUSTOMIZED", w -> new LayerChain(w, layer -> own(w, layer), "", Recomputation.NONE));
    }

    public TextProgram(TextWorkload workload, TextOptions options) {
        this.workload = workload;
        this.options = options;
        TextParallelism parallelism = parallelism();
        NodeList list = new NodeList(workload, options);
        if (!options.likeReference()) {
            TextChecks.check(workload, options, list);
        }
        for (int pass = 0; pass < options.numPasses(); pass++) {
            parallelism.pass(list);
            fail(list.problems());
        }
        nodes = List.copyOf(list.nodes());
        if (!options.likeReference()) {
            TextChecks.checkNodes(workload, nodes);
        }
    }

    private static void fail(List<Problem> problems) {
        StageException.refuse(problems);
    }

    private TextParallelism parallelism() {
        String name = workload.parallelism();
        Factory factory = KNOWN.get(name);
        if (factory == null && !options.likeReference()) {
            factory = FURTHER.get(name);
        }
        if (factory == null) {
            List<String> names = new ArrayList<>(KNOWN.keySet());
            names.addAll(options.likeReference() ? List.of() : FURTHER.keySet());
            throw StageException.input(workload.problem(1, "unknown parallelism '" + name + "'")
                    .options(names)
                    .didYouMean(Suggest.near(name, names)));
        }
        return factory.of(workload);
    }

    /** True if the reference does not support the parallelism. */
    public static boolean isExtension(TextWorkload workload) {
        return FURTHER.containsKey(workload.parallelism());
    }

    /** Number of collectives with type NONE. */
    public long nones() {
        return nodes.stream()
                .filter(node -> node.collective() && node.step().equals(TextLayer.NONE))
                .count();
    }

    /** True if collectives run in the groups that the first line describes. */
    public static boolean hasGroups(TextWorkload workload) {
        return TRANSFORMERS.contains(workload.parallelism());
    }

    /** Number of processors in the first line, or empty if absent. */
    public static OptionalInt npus(TextWorkload workload) {
        return hasGroups(workload) ? TextHeader.of(workload).npus() : OptionalInt.empty();
    }

    /** Groups in the first line. */
    public static TextGroups groups(TextWorkload workload, int npus) {
        return hasGroups(workload) ? TextHeader.of(workload).groups(npus) : TextGroups.none(npus);
    }

    /** Properties of the first line that the traces do not represent, for a warning. */
    public List<String> omissions() {
        return hasGroups(workload) ? TextHeader.of(workload).omissions() : List.of();
    }

    private static long bottom(TextWorkload workload) {
        List<String> header = workload.header();
        if (header.size() < 2) {
            throw workload.error(1, "expected the index of the last bottom layer after " + header.get(0));
        }
        Optional<BigInteger> index = PythonText.integer(header.get(1));
        // Later versions of the format have a label before the number.
        if (index.isEmpty() && header.size() > 2 && header.get(1).equals(BOTTOM_LAYER + ":")) {
            index = PythonText.integer(header.get(2));
        }
        return index.filter(number -> number.bitLength() < Long.SIZE)
                .orElseThrow(() ->
                        workload.error(1, "expected the index of the last bottom layer, found '" + header.get(1) + "'"))
                .longValue();
    }

    private static Recomputation withoutRecomputation(TextWorkload workload) {
        TextHeader.of(workload).refuseRecomputation();
        return Recomputation.NONE;
    }

    private static LayerSpans own(TextWorkload workload, TextLayer layer) {
        String name = layer.parallelism().orElse("");
        return switch (name) {
            case "DATA" -> LayerSpans.DATA;
            case "MODEL" -> LayerSpans.MODEL;
            case "HYBRID_DATA_MODEL" -> LayerSpans.DATA_MODEL;
            case "HYBRID_MODEL_DATA" -> LayerSpans.MODEL_DATA;
            default ->
                throw workload.error(
                        layer.line(),
                        "expected the layer's own parallelism in column 13: DATA, MODEL, HYBRID_DATA_MODEL or"
                                + " HYBRID_MODEL_DATA");
        };
    }

    /** Nodes of one processor, with ids from 0. */
    public List<TextNode> nodes() {
        return nodes;
    }

    TextWorkload workload() {
        return workload;
    }

    TextOptions options() {
        return options;
    }

    /** {@code MICRO}: only the weight-gradient collective of each layer, without dependencies. */
    private record MicroBenchmark(TextWorkload workload) implements TextParallelism {
        @Override
        public void pass(NodeList nodes) {
            for (TextLayer layer : workload.layers()) {
                nodes.collective(layer, "", layer.weightGradient(), TextNode.Span.ALL);
            }
        }
    }

    /** Rejects texts that the reference accepts although the trace cannot be simulated correctly. */
    private static final class TextChecks {
        private TextChecks() {}

        static void check(TextWorkload workload, TextOptions options, NodeList list) {
            int rows = workload.layers().size();
            if (!workload.count().equals(BigInteger.valueOf(rows))) {
                throw workload.error(
                        2, "the layer count is " + workload.count() + ", but there are " + rows + " layers");
            }
            if (rows == 0) {
                throw workload.error(2, "there are no layers, so a simulation would never start");
            }
            if (TextProgram.hasGroups(workload)) {
                options.groups().problems().forEach(list::problem);
                if (options.namesDims()) {
                    list.problem("num_dims has no effect: collectives are among groups, not dimensions");
                }
            } else {
                checkWords(workload, list);
            }
        }

        /** Arguments after the parallelism affect transformers and recommendation models only. */
        private static void checkWords(TextWorkload workload, NodeList list) {
            List<String> words = workload.header();
            boolean isRecommendation = words.get(0).startsWith("HYBRID_DLRM");
            boolean isLabelled =
                    isRecommendation && words.get(1).replaceFirst(":$", "").equals(BOTTOM_LAYER);
            int read = isRecommendation ? isLabelled ? 3 : 2 : 1;
            words.stream()
                    .skip(read)
                    .findFirst()
                    .ifPresent(word -> list.problem("'" + word + "' has no effect with " + words.get(0)));
        }

        static void checkNodes(TextWorkload workload, List<TextNode> nodes) {
            if (nodes.stream().allMatch(node -> !node.collective() && node.amount() == 0)) {
                throw StageException.input(
                        workload.problem(2, "there is nothing to compute and nothing to communicate"));
            }
        }
    }

    /**
     * {@code HYBRID_DLRM}: an all-to-all exchange of embedding tables in parallel with a bottom network, followed by a
     * top network.
     *
     * <p>The first layer is the embedding. The first layer after the bottom network waits for its exchange, forward and
     * backward. All other layers are data-parallel.
     */
    private static final class Recommendation implements TextParallelism {
        private static final String EXCHANGE = "ALLTOALL";

        private final List<TextLayer> layers;
        private final long bottom;
        private final long[] exchanged;
        private final long[] weightGradient;
        private final long[] updated;

        /**
         * @param bottom index of the last layer of the bottom network
         */
        Recommendation(TextWorkload workload, long bottom) {
            this.bottom = bottom;
            layers = workload.layers();
            exchanged = absent();
            weightGradient = absent();
            updated = absent();
        }

        private long[] absent() {
            long[] ids = new long[layers.size()];
            Arrays.fill(ids, NodeList.ABSENT);
            return ids;
        }

        @Override
        public void pass(NodeList nodes) {
            long last = NodeList.ABSENT;
            for (int i = 0; i < layers.size(); i++) {
                TextLayer layer = layers.get(i);
                long weights = updated[i] == NodeList.ABSENT ? weightGradient[i] : updated[i];
                long tables = i == bottom ? exchanged[0] : NodeList.ABSENT;
                if (i == bottom && tables == NodeList.ABSENT) {
                    nodes.problem(
                            layer,
                            "as last bottom layer it waits for an ALLTOALL of the first layer, which there is not"
                                    + " before");
                }
                last = nodes.compute(layer, "FWD", layer.forward(), weights, last, tables);
                if (layer.forward().type().equals(EXCHANGE)) {
                    exchanged[i] = nodes.collective(layer, "", layer.forward(), TextNode.Span.ALL, last);
                }
            }
            backward(nodes, last);
        }

        private void backward(NodeList nodes, long forward) {
            long last = forward;
            long tables = NodeList.ABSENT;
            for (int i = layers.size() - 1; i >= 0; i--) {
                TextLayer layer = layers.get(i);
                weightGradient[i] =
                        nodes.compute(layer, "BWD_WG", layer.weightGradient(), last, i == 0 ? tables : NodeList.ABSENT);
                updated[i] = layer.weightGradient().type().equals(TextLayer.NONE)
                        ? NodeList.ABSENT
                        : nodes.collective(layer, "", layer.weightGradient(), TextNode.Span.ALL, weightGradient[i]);
                last = i == 0
                        ? NodeList.ABSENT
                        : nodes.compute(layer, "BWD_IG", layer.inputGradient(), weightGradient[i]);
                if (i == bottom + 1) {
                    TextLayer first = layers.get(0);
                    if (i == 0) {
                        nodes.problem(layer, "the bottom network ends before the first layer");
                    }
                    tables = nodes.collective(first, "", first.inputGradient(), TextNode.Span.ALL, last);
                }
            }
        }
    }

    /** {@code DATA}: every processor stores all weights; weight gradients are all-reduced. */
    private static final class DataParallel implements TextParallelism {
        private final List<TextLayer> layers;
        private final long[] combined;

        DataParallel(TextWorkload workload) {
            layers = workload.layers();
            combined = new long[layers.size()];
            Arrays.fill(combined, NodeList.ABSENT);
        }

        @Override
        public void pass(NodeList nodes) {
            long last = NodeList.ABSENT;
            for (int i = 0; i < layers.size(); i++) {
                TextLayer layer = layers.get(i);
                last = nodes.compute(layer, "FWD", layer.forward(), last, combined[i]);
            }
            for (int i = layers.size() - 1; i >= 0; i--) {
                TextLayer layer = layers.get(i);
                long gradient = nodes.compute(layer, "BWD_WG", layer.weightGradient(), last);
                long collective = nodes.collective(layer, "", layer.weightGradient(), TextNode.Span.ALL, gradient);
                combined[i] = collective == NodeList.ABSENT ? gradient : collective;
                if (i != 0) {
                    last = nodes.compute(layer, "BWD_IG", layer.inputGradient(), gradient);
                }
            }
        }
    }
}
