package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Overrides of all pools of a cluster, which short keys stand for, such as {@code cluster.pools.each_pool.tp=2}. */
final class PoolKeys {
    static final String EVERY = "cluster.pools.each_pool.";
    private static final String REPLICAS = EVERY + "replicas=";
    private static final List<String> POOLS = List.of("cluster", "pools");

    private PoolKeys() {}

    /** Returns the problem of a number of engines per instance. */
    static Problem engines(String word, String stage) {
        String count = word.substring(word.indexOf('=') + 1);
        return Problem.usage(word, "has no effect in " + stage + ", where an instance is one engine")
                .hint("set replicas=" + count + "; if these share the experts of a mixture, also"
                        + " +cluster.pools.<name>.experts.instances=" + count);
    }

    /**
     * Returns the overrides with one override for each pool.
     *
     * @param compose returns the configuration of other overrides
     * @throws StageException (input) if a number of replicas is set for several pools
     */
    static List<String> expand(List<String> words, Function<List<String>, MapNode> compose) {
        if (words.stream().noneMatch(word -> word.startsWith(EVERY))) {
            return words;
        }
        MapNode config = compose.apply(
                words.stream().filter(word -> !word.startsWith(EVERY)).toList());
        Set<String> pools =
                Paths.get(config, POOLS) instanceof MapNode map ? map.entries().keySet() : Set.of();
        return words.stream()
                .flatMap(word -> word.startsWith(EVERY) ? of(word, pools) : Stream.of(word))
                .toList();
    }

    private static Stream<String> of(String word, Set<String> pools) {
        List<String> overrides = pools.stream()
                .map(pool -> word.replace(EVERY, "cluster.pools." + pool + "."))
                .toList();
        if (word.startsWith(REPLICAS) && pools.size() > 1) {
            throw StageException.input(Problem.usage(
                            word.substring(EVERY.length()), "the cluster has the pools " + String.join(", ", pools))
                    .hint("set " + String.join(" or ", overrides)));
        }
        return overrides.stream();
    }
}
