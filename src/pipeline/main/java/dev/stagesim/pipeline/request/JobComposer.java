package dev.stagesim.pipeline.request;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.stage.Stage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Composes the configuration of one stage's jobs: from files and overrides to a resolved tree.
 *
 * <p>One composer serves all jobs of a sweep. The jobs share parsed files, the schema and one clock reading.
 */
public final class JobComposer {
    private static final Consumer<String> IGNORE = text -> {};

    private final ConfigEngine engine;
    private final Stage<?> stage;
    private final String configName;
    private final Function<Path, String> shown;
    private final Path work;
    private final PresetNames names;
    private final SettingsSchema schema;
    private final SchemaKeys keys;
    private final Instant now = Instant.now();
    private final Set<String> noted = ConcurrentHashMap.newKeySet();
    private Optional<Confinement> confinement = Optional.empty();
    private Consumer<String> notes = IGNORE;

    /**
     * Creates a composer.
     *
     * @param configName the primary config
     * @param shown returns a config directory as the user would name it
     */
    public JobComposer(ConfigEngine engine, Stage<?> stage, String configName, Function<Path, String> shown) {
        this(engine, stage, configName, shown, Path.of("").toAbsolutePath());
    }

    /** Creates a composer with relative paths that start from {@code work}. */
    public JobComposer(
            ConfigEngine engine, Stage<?> stage, String configName, Function<Path, String> shown, Path work) {
        this.engine = engine;
        this.stage = stage;
        this.configName = configName;
        this.shown = shown;
        this.work = work;
        this.names = new PresetNames(engine::options, work);
        this.schema = SettingsSchema.of(stage.spec().settings());
        this.keys = new SchemaKeys(
                schema, Optional.empty(), () -> List.copyOf(ShortKeys.of(stage).keySet()));
    }

    /**
     * Enables the check against access outside the working directory.
     *
     * @param home the installation
     */
    public JobComposer confined(Path home) {
        confinement = Optional.of(new Confinement(work, home));
        return this;
    }

    /** Sets the receiver of notes about defaults that requests use; it receives equal notes once. */
    public JobComposer noting(Consumer<String> receiver) {
        notes = text -> {
            if (noted.add(text)) {
                receiver.accept(text);
            }
        };
        return this;
    }

    /** Returns the configuration engine. */
    public ConfigEngine engine() {
        return engine;
    }

    /** Composes one job. The argument {@code repeat=k} is ignored. Names of presets are resolved. */
    public Composition compose(List<String> words) {
        if (confinement.isPresent()) {
            Confinement.checkSearchPath(words);
        }
        List<String> overrides = Repetition.split(words).overrides();
        Composition composed = composed(overrides(
                overrides, others -> composed(names.expand(others, IGNORE)).config(), IGNORE, IGNORE));
        Composition completed = composed.withConfig(schema.complete(MeasuredServer.fill(composed.config(), work)));
        Composition complete = completed.withConfig(new ChosenLengths(completed, words).withRaisedLimit());
        confinement.ifPresent(limits -> limits.check(complete, schema, () -> resolvers(complete)));
        return ModelFiles.filled(complete, schema, () -> resolvers(complete), work);
    }

    private Composition composed(List<String> overrides) {
        return engine.compose(ComposeRequest.of(configName, overrides).withSchema(keys));
    }

    /** Returns the overrides with the names of options, and of the pools in the configuration. */
    private List<String> overrides(
            List<String> words, Function<List<String>, MapNode> config, Consumer<String> warn, Consumer<String> note) {
        List<String> supported = DraftMethods.expand(words, config, schema::complete);
        return names.measured(names.expand(PoolKeys.expand(supported, config), warn), note);
    }

    /** Replaces every interpolation by its value. {@code warn} receives warnings about deprecated keys. */
    public MapNode resolve(Composition composition, Consumer<String> warn) {
        return composition.resolved(resolvers(composition), warn);
    }

    private Resolvers resolvers(Composition composition) {
        return Resolvers.installed(ResolverContext.local(now, runtime(composition)));
    }

    /** Returns the request that the pipeline runs. */
    public RunRequest request(List<String> words) {
        return request(words, IGNORE);
    }

    /** Returns the request that the pipeline runs. {@code warn} receives its warnings. */
    public RunRequest request(List<String> words, Consumer<String> warn) {
        return request(compose(words), words, warn);
    }

    /** Returns the request that the pipeline runs, for a composition of these arguments. */
    public RunRequest request(Composition composition, List<String> words, Consumer<String> warn) {
        ChosenLengths lengths = new ChosenLengths(composition, words);
        lengths.warning().ifPresent(warn);
        lengths.note().ifPresent(notes);
        MapNode config = resolve(composition, warn);
        DefaultDevice.note(words, composition.choices(), config).ifPresent(notes);
        return new RunRequest(
                config,
                overrides(words, others -> composition.config(), warn, notes),
                composition.choices(),
                Optional.of(configName),
                Optional.of(shown.apply(composition.searchPath().get(0).dir())),
                BindOptions.STRICT.withGroups(engine::options));
    }

    /** Returns the values of {@code ${stage:...}}. */
    private MapNode runtime(Composition composition) {
        Map<String, Node> choices = new LinkedHashMap<>();
        composition
                .choices()
                .forEach((key, option) -> choices.put(
                        key,
                        option.<Node>map(name -> ScalarNode.of(name, Origin.UNKNOWN))
                                .orElse(ScalarNode.ofNull(Origin.UNKNOWN))));
        Map<String, Node> facts = new LinkedHashMap<>();
        facts.put("name", ScalarNode.of(stage.spec().name(), Origin.UNKNOWN));
        facts.put("config_name", ScalarNode.of(configName, Origin.UNKNOWN));
        facts.put("choices", MapNode.of(choices, Origin.UNKNOWN));
        return MapNode.of(facts, Origin.UNKNOWN);
    }
}
