package dev.stagesim.feature.suite.graph;

import dev.stagesim.feature.suite.graph.ForwardOperator.Shape;
import dev.stagesim.feature.suite.graph.ForwardOperator.Traffic;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Parses the layers of a workload and creates the operators of its training step. */
public final class SuiteNet {
    private static final String KEY = "workload.net";

    private SuiteNet() {}

    /** Checks the syntax of the layers; only {@link #graph} checks shapes. */
    public static List<Problem> check(List<String> layers) {
        return layers.isEmpty()
                ? List.of(Problem.config(KEY, "there are no layers"))
                : LayerCall.check(KEY, "layer", layers, LayerKinds.signatures());
    }

    /**
     * Returns the operators of one training step.
     *
     * @throws StageException (input) if a layer is malformed or does not fit the previous one
     */
    public static OperatorGraph graph(List<String> layers, SuiteOptions options) {
        List<Problem> problems = check(layers);
        StageException.refuse(problems);
        GraphBuilder graph = new GraphBuilder(options);
        Tensor tensor = new Tensor(options.input(), false);
        for (int i = 0; i < layers.size(); i++) {
            LayerCall call = LayerCall.of(layers.get(i));
            graph.begin(String.format(Locale.ROOT, "%02d_%s", i + 1, call.name()));
            try {
                tensor = LayerKinds.find(call.name()).orElseThrow().rule().apply(tensor, call, graph);
            } catch (LayerKind.IllegalLayer | ArithmeticException illegal) {
                String message = illegal instanceof ArithmeticException ? "is too large" : illegal.getMessage();
                throw StageException.input(Problem.config(KEY + "." + i, "layer '" + call.text() + "' " + message));
            }
        }
        graph.begin("loss");
        long values = options.batch() * tensor.size();
        graph.each("loss", Elementwise.LOSS, values, options.batch(), 0, true);
        return graph.build();
    }

    /** All kinds of layers, one line each. */
    private static final class LayerKinds {
        private static final List<String> ACTIVATIONS = Elementwise.activations();
        private static final List<String> CONVOLUTION = Stream.concat(
                        ACTIVATIONS.stream(), Stream.of("valid", "nobias", "s2", "s4"))
                .toList();
        private static final List<String> NONE = List.of();
        private static final List<String> SEQUENCE = List.of("seq");

        private static final List<LayerKind> ALL = List.of(
                kind("dense UNITS", ACTIVATIONS, DenseRules::dense),
                kind("act", ACTIVATIONS, DenseRules::activation),
                kind("fused_relu", NONE, DenseRules::fusedRelu),
                kind("dropout ~RATE", NONE, DenseRules::dropout),
                kind("ln", NONE, DenseRules::layerNorm),
                kind("bn", NONE, DenseRules::batchNorm),
                kind("moe EXPERTS UNITS", NONE, DenseRules::experts),
                kind("stochres UNITS ~KEEP", NONE, DenseRules::stochasticDepth),
                kind("sparse_dense UNITS ~DENSITY", NONE, DenseRules::sparseDense),
                kind("halfmask_relu", NONE, DenseRules::halfMask),
                kind("conv FILTERS SIZE [WIDTH]", CONVOLUTION, ConvRules::conv),
                kind("convt FILTERS SIZE", ACTIVATIONS, ConvRules::transposed),
                kind("conv1d FILTERS SIZE", ACTIVATIONS, ConvRules::causal),
                kind("dw SIZE", ACTIVATIONS, ConvRules::depthwise),
                kind("sep FILTERS SIZE", ACTIVATIONS, ConvRules::separable),
                kind("se RATIO", NONE, ConvRules::squeezeExcite),
                kind("resblock FILTERS", NONE, ConvRules::residual),
                kind("lsblock FILTERS", NONE, ConvRules::layerScale),
                kind("tcn DILATION", NONE, ConvRules::dilated),
                kind("maxpool SIZE", NONE, ConvRules::maxPool),
                kind("gap", NONE, ShapeRules::mean),
                kind("reshape SIZE [SIZE] [SIZE]", NONE, ShapeRules::reshape),
                kind("flatten", NONE, ShapeRules::flatten),
                kind("repeat TIMES", NONE, ShapeRules::repeat),
                kind("save @NAME", NONE, ShapeRules::save),
                kind("concat @NAME", NONE, ShapeRules::concat),
                kind("add @NAME", NONE, ShapeRules::add),
                kind("last_step", NONE, ShapeRules::lastStep),
                kind("lstm UNITS", SEQUENCE, RecurrentRules::lstm),
                kind("bilstm UNITS", SEQUENCE, RecurrentRules::bidirectionalLstm),
                kind("gru UNITS", SEQUENCE, RecurrentRules::gru),
                kind("bigru UNITS", SEQUENCE, RecurrentRules::bidirectionalGru),
                kind("emb VOCABULARY WIDTH", NONE, AttentionRules::embedding),
                kind("rope", NONE, AttentionRules::rotary),
                kind("mha HEADS WIDTH", NONE, AttentionRules::multiHead),
                kind("enc HEADS WIDTH UNITS [~DROPOUT] [~ATTENTION_DROPOUT]", NONE, AttentionRules::encoder),
                kind("enc_shared HEADS WIDTH UNITS", NONE, AttentionRules::sharedEncoder),
                kind("dotattn", NONE, AttentionRules::dot));

        private LayerKinds() {}

        private static LayerKind kind(String usage, List<String> words, LayerKind.Rule rule) {
            return new LayerKind(new NodeSignature(usage, words), rule);
        }

        static List<NodeSignature> signatures() {
            return ALL.stream().map(LayerKind::signature).toList();
        }

        static Optional<LayerKind> find(String name) {
            return ALL.stream()
                    .filter(kind -> kind.signature().name().equals(name))
                    .findFirst();
        }
    }

    /** Recurrent layers over sequences ({@code steps x features}). */
    private static final class RecurrentRules {
        private static final int LSTM_GATES = 4;
        private static final int GRU_GATES = 3;

        private RecurrentRules() {}

        static Tensor lstm(Tensor input, LayerCall call, GraphBuilder graph) {
            lstm(input, call.whole(0), "cell", graph);
            return out(input, call, 1);
        }

        static Tensor bidirectionalLstm(Tensor input, LayerCall call, GraphBuilder graph) {
            lstm(input, call.whole(0), "forwards", graph);
            lstm(input, call.whole(0), "backwards", graph);
            return out(input, call, 2);
        }

        static Tensor gru(Tensor input, LayerCall call, GraphBuilder graph) {
            gru(input, call.whole(0), "cell", graph);
            return out(input, call, 1);
        }

        static Tensor bidirectionalGru(Tensor input, LayerCall call, GraphBuilder graph) {
            gru(input, call.whole(0), "forwards", graph);
            gru(input, call.whole(0), "backwards", graph);
            return out(input, call, 2);
        }

        private static Tensor out(Tensor input, LayerCall call, int directions) {
            int width = directions * call.whole(0);
            return call.has("seq")
                    ? input.withLast(width).trained()
                    : input.shaped(width).trained();
        }

        /** LSTM: one kernel for all steps multiplies input and state together and always computes all gradients. */
        private static void lstm(Tensor input, int units, String op, GraphBuilder graph) {
            LayerKind.rank(input, 2, "a sequence (steps x features)");
            long batch = graph.batch();
            long steps = input.dim(0);
            long width = (long) input.last() + units;
            long gates = (long) LSTM_GATES * units;
            graph.product(
                    op,
                    OpClass.RECURRENT,
                    new Shape(batch, gates, width),
                    steps,
                    batch * steps * width * gates,
                    new Traffic(batch * steps * width, width * gates, batch * steps * units, (width + 1) * gates),
                    steps);
            graph.each(op + "_gates", Elementwise.GATES, batch * steps * units, batch * steps * units, 0, true);
        }

        /** GRU with the reset gate after the product: all inputs at once, states sequentially. */
        private static void gru(Tensor input, int units, String op, GraphBuilder graph) {
            LayerKind.rank(input, 2, "a sequence (steps x features)");
            long batch = graph.batch();
            long steps = input.dim(0);
            long width = input.last();
            long gates = (long) GRU_GATES * units;
            graph.product(
                    op + "_input",
                    OpClass.RECURRENT,
                    new Shape(batch * steps, gates, width),
                    1,
                    new Traffic(batch * steps * width, width * gates, batch * steps * gates, (width + 1) * gates),
                    input.differentiable());
            // The state before the first step is constant, so it needs no gradient.
            graph.product(
                    op + "_state",
                    OpClass.RECURRENT,
                    new Shape(batch, gates, units),
                    steps,
                    batch * steps * units * gates,
                    new Traffic(batch * steps * units, units * gates, batch * steps * units, (units + 1L) * gates),
                    steps - 1);
            graph.each(op + "_gates", Elementwise.GATES, batch * steps * units, batch * steps * units, 0, true);
        }
    }
}
