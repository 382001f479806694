package dev.stagesim.config;

import dev.stagesim.config.ComposeRequest.Mode;
import dev.stagesim.config.compose.Composer;
import dev.stagesim.config.compose.source.SearchRoot;
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
 * <p>Parsed files and merged group choices are cached while the files stay the same, so that a sweep reads each file
 * once. Thread-safe.
 */
public final class ConfigEngine {
    private static final String ENGINE_NODE = "hydra";

    private final Composer composer;

    private ConfigEngine(Composer composer) {
        this.composer = composer;
    }

    /**
     * Creates an engine for {@code roots}. A config in an earlier root hides configs with the same path in later roots.
     */
    public static ConfigEngine open(List<SearchRoot> roots) {
        return open(roots, List.of(), name -> Optional.ofNullable(System.getenv(name)));
    }

    /**
     * Creates an engine with additional in-memory configs.
     *
     * @param typed configs with typed keys, searched after the roots
     * @param environment looks up environment variables that choose options
     */
    public static ConfigEngine open(
            List<SearchRoot> roots, List<TypedConfig> typed, Function<String, Optional<String>> environment) {
        return new ConfigEngine(new Composer(roots, typed, environment));
    }

    /**
     * Composes one configuration. The result depends only on the files, the request and the environment.
     *
     * @throws dev.stagesim.model.StageException if a file or an override is invalid
     */
    public Composition compose(ComposeRequest request) {
        Dialect dialect = request.dialect();
        List<String> texts = request.configName()
                .map(name -> composer.aliases(name, dialect).expand(request.overrides()))
                .orElse(request.overrides());
        List<ConfigOverride> overrides = OverrideParser.parseAll(texts, dialect);
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
                texts,
                result.searchPath(),
                dialect);
    }

    /** Returns the paths of all groups (directories), including nested groups, sorted. */
    public List<String> groups() {
        return composer.groups();
    }

    /** Returns the options directly inside {@code group}, sorted; empty if the group does not exist. */
    public List<String> options(String group) {
        return composer.options(group);
    }

    /**
     * Returns the options inside {@code group} and its nested groups ({@code tf/a}), sorted. Globs match against these.
     */
    public List<String> optionsBelow(String group) {
        return composer.optionsBelow(group);
    }
}
