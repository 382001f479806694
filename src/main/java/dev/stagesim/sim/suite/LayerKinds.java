package dev.stagesim.sim.suite;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds of layers there are: one line each. */
final class LayerKinds {
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
            kind("bilstm UNITS", SEQUENCE, RecurrentRules::lstmBothWays),
            kind("gru UNITS", SEQUENCE, RecurrentRules::gru),
            kind("bigru UNITS", SEQUENCE, RecurrentRules::gruBothWays),
            kind("emb VOCABULARY WIDTH", NONE, AttentionRules::embedding),
            kind("rope", NONE, AttentionRules::rotary),
            kind("mha HEADS WIDTH", NONE, AttentionRules::multiHead),
            kind("enc HEADS WIDTH UNITS [~DROPOUT] [~ATTENTION_DROPOUT]", NONE, AttentionRules::encoder),
            kind("enc_shared HEADS WIDTH UNITS", NONE, AttentionRules::sharedEncoder),
            kind("dotattn", NONE, AttentionRules::dot));

    private LayerKinds() {}

    private static LayerKind kind(String usage, List<String> words, LayerKind.Rule rule) {
        return new LayerKind(new Signature(usage, words), rule);
    }

    static List<Signature> signatures() {
        return ALL.stream().map(LayerKind::signature).toList();
    }

    static Optional<LayerKind> find(String name) {
        return ALL.stream().filter(kind -> kind.signature().name().equals(name)).findFirst();
    }
}
