package dev.stagesim.sim.suite;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Locale;

/** Reads the layers of a workload and makes the operators of its training step. */
public final class SuiteNet {
    private static final String KEY = "workload.net";

    private SuiteNet() {}

    /** All that is wrong with how layers are written, by key; shapes are seen only by {@link #graph}. */
    public static List<Problem> check(List<String> layers) {
        return layers.isEmpty()
                ? List.of(Problem.of("config error", KEY, "there are no layers"))
                : Call.check(KEY, "layer", layers, LayerKinds.signatures());
    }

    /**
     * The operators of one training step.
     *
     * @throws StageException (input) when a layer is written wrongly or does not fit the one before
     */
    public static OperatorGraph graph(List<String> layers, SuiteOptions options) {
        List<Problem> problems = check(layers);
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        GraphBuilder graph = new GraphBuilder(options);
        Tensor tensor = new Tensor(options.input(), false);
        for (int i = 0; i < layers.size(); i++) {
            Call call = Call.of(layers.get(i));
            graph.begin(String.format(Locale.ROOT, "%02d_%s", i + 1, call.name()));
            try {
                tensor = LayerKinds.find(call.name()).orElseThrow().rule().apply(tensor, call, graph);
            } catch (LayerKind.IllegalLayer | ArithmeticException illegal) {
                String why = illegal instanceof ArithmeticException ? "is too large" : illegal.getMessage();
                throw StageException.input(
                        Problem.of("config error", KEY + "." + i, "layer '" + call.text() + "' " + why));
            }
        }
        graph.begin("loss");
        long values = options.batch() * tensor.size();
        graph.each("loss", Elementwise.LOSS, values, options.batch(), 0, true);
        return graph.build();
    }
}
