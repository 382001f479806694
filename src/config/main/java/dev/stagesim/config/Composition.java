package dev.stagesim.config;

import dev.stagesim.config.compose.DefaultEntry;
import dev.stagesim.config.compose.DefaultsNode;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.InterpolationException;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.Resolver;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A composed configuration and the inputs that led to it.
 *
 * @param config the tree after overrides, with unresolved interpolations
 * @param engine the node {@code hydra}: settings of the engine (sweeper, launcher, search path)
 * @param defaults the final defaults list, in merge order
 * @param tree the defaults tree; its root is the primary config
 * @param choices the option chosen for each choice key; empty for {@code null}
 * @param warnings warnings for the user, one line each
 * @param overrides the overrides as typed
 * @param searchPath the search roots; earlier roots take precedence
 * @param dialect the dialect of interpolations
 */
public record Composition(
        MapNode config,
        MapNode engine,
        List<DefaultEntry> defaults,
        DefaultsNode tree,
        Map<String, Optional<String>> choices,
        List<String> warnings,
        List<String> overrides,
        List<SearchRoot> searchPath,
        Dialect dialect) {
    private static final String ENGINE_NODE = "hydra";

    private static final Resolver SETTING = new Resolver(
            ENGINE_NODE,
            "path",
            "A setting of the configuration engine, such as job.name.",
            1,
            1,
            (arguments, call) -> call.select(ENGINE_NODE + "." + call.text(arguments.get(0)))
                    .orElseThrow(() -> InterpolationException.failed(
                            "the engine has no setting '" + call.text(arguments.get(0)) + "'")));

    public Composition {
        defaults = List.copyOf(defaults);
        choices = Collections.unmodifiableMap(new LinkedHashMap<>(choices));
        warnings = List.copyOf(warnings);
        overrides = List.copyOf(overrides);
        searchPath = List.copyOf(searchPath);
    }

    /** Returns this composition with another tree. */
    public Composition withConfig(MapNode other) {
        return new Composition(other, engine, defaults, tree, choices, warnings, overrides, searchPath, dialect);
    }

    /** Evaluates interpolations individually. They may refer to the engine's settings as {@code ${hydra.job.name}}. */
    public Interpolator interpolator(Resolvers resolvers) {
        return Interpolator.of(config.with(ENGINE_NODE, engine), resolvers.with(List.of(SETTING)), dialect);
    }

    /**
     * Returns the tree with every interpolation replaced by its value.
     *
     * @throws dev.stagesim.model.StageException with every interpolation that fails
     */
    public MapNode resolved(Resolvers resolvers) {
        return resolved(resolvers, warning -> {});
    }

    /** Like {@link #resolved(Resolvers)}, but passes warnings about deprecated keys to {@code warn}. */
    public MapNode resolved(Resolvers resolvers, Consumer<String> warn) {
        boolean usesEngine = refersToEngine(config);
        Interpolator interpolator = usesEngine ? interpolator(resolvers) : Interpolator.of(config, resolvers, dialect);
        MapNode tree = interpolator.resolve();
        interpolator.warnings().forEach(warn);
        return usesEngine ? tree.without(ENGINE_NODE) : tree;
    }

    /**
     * True if the tree refers to the engine's settings. Otherwise they are not resolved, because some need a running
     * job.
     */
    private static boolean refersToEngine(Node node) {
        if (node instanceof ScalarNode leaf) {
            return leaf.isInterpolation() && leaf.text().contains(ENGINE_NODE);
        }
        return node instanceof MapNode map
                ? map.entries().values().stream().anyMatch(Composition::refersToEngine)
                : ((ListNode) node).items().stream().anyMatch(Composition::refersToEngine);
    }
}
