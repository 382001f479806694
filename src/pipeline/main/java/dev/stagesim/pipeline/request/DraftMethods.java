package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Overrides of speculative decoding for engines that do not have it. */
final class DraftMethods {
    private static final String SECTION = "scheduler.speculative.";
    private static final String METHOD = SECTION + "method=";
    private static final List<String> KIND = List.of("scheduler", "kind");
    private static final List<String> PATH = List.of("scheduler", "speculative");

    private DraftMethods() {}

    /**
     * Returns the overrides without those of speculative decoding if they disable it and the scheduler does not have it.
     *
     * @throws StageException (input) if they enable it and the scheduler does not have it
     * @param compose returns the configuration of other overrides
     * @param complete adds the defaults of the schema to a configuration
     */
    static List<String> expand(
            List<String> words, Function<List<String>, MapNode> compose, UnaryOperator<MapNode> complete) {
        Optional<String> method =
                words.stream().filter(word -> word.startsWith(METHOD)).reduce((first, last) -> last);
        if (method.isEmpty()) {
            return words;
        }
        List<String> others =
                words.stream().filter(word -> !word.startsWith(SECTION)).toList();
        MapNode config = complete.apply(compose.apply(others));
        if (!(Paths.get(config, KIND) instanceof ScalarNode kind) || Paths.get(config, PATH) != null) {
            return words;
        }
        if (!method.get().equals(METHOD + "none")) {
            throw StageException.input(Problem.config(
                            "scheduler.speculative",
                            "needs scheduler.kind=vllm_v1, but scheduler.kind is " + kind.text())
                    .from("override #" + (words.indexOf(method.get()) + 1) + " '" + method.get() + "'")
                    .hint("set engine=vllm_v1 or engine=trtllm, or speculative=none"));
        }
        return others;
    }
}
