package dev.stagesim.config;

import dev.stagesim.config.ComposeRequest.Mode;
import dev.stagesim.config.compose.Composer;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.config.compose.typed.TypedConfig;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.config.tree.MapNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Composes configurations from the files below a list of search roots.
 *
 * <p>Parsed files and merged group choices are kept as long as the files stay the same, so that the jobs of a sweep
 * read each file once. An engine may be used by several threads.
 */
public final class ConfigEngine {
    private static final String ENGINE_NODE = "hydra";

    private final Composer composer;

    private ConfigEngine(Composer composer) {
        this.composer = composer;
    }

    /** Opens an engine over {@code roots}; a config found in an earlier root hides those of the same path in later ones. */
    public static ConfigEngine open(List<SearchRoot> roots) {
        return open(roots, List.of(), name -> Optional.ofNullable(System.getenv(name)));
    }

    /**
     * Opens an engine with configs that are not files.
     *
     * @param typed configs with typed keys, found behind those of the roots
     * @param environment looks up environment variables that choose options
     */
    public static ConfigEngine open(
            List<SearchRoot> roots, List<TypedConfig> typed, Function<String, Optional<String>> environment) {
        return new ConfigEngine(new Composer(roots, typed, environment));
    }

    /**
     * Composes one configuration; a pure function of the files, the request and the environment.
     *
     * @throws dev.stagesim.model.StageException when a file or an override is wrong
     */
    public Composition compose(ComposeRequest request) {
        Dialect dialect = request.dialect();
        List<ConfigOverride> overrides = OverrideParser.parseAll(request.overrides(), dialect);
        Composer.Result result = composer.compose(new Composer.Request(
                request.configName(), overrides, dialect, request.mode() == Mode.MULTIRUN, request.schema()));
        MapNode tree = result.tree();
        MapNode engine = tree.get(ENGINE_NODE) instanceof MapNode node ? node : MapNode.empty();
        return new Composition(
                tree.without(ENGINE_NODE),
                engine,
                result.defaults(),
                result.defaultsTree(),
                result.choices(),
                result.warnings(),
                request.overrides(),
                result.searchPath(),
                dialect);
    }

    /** The paths of all groups (directories), nested ones included, sorted. */
    public List<String> groups() {
        return composer.groups();
    }

    /** The options directly inside {@code group}, sorted; empty when there is no such group. */
    public List<String> options(String group) {
        return composer.options(group);
    }

    /** The options inside {@code group} and its nested groups ({@code tf/a}), sorted; globs match against these. */
    public List<String> optionsBelow(String group) {
        return composer.optionsBelow(group);
    }
}
