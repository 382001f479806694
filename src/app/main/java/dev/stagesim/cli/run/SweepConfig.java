package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Home;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.LimitSettings;
import dev.stagesim.pipeline.RunSettings;
import dev.stagesim.pipeline.request.Confinement;
import dev.stagesim.sweep.SweepSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Composes the settings of sweeps and launchers from the product's {@code configs/sweep.conf} and overrides. */
final class SweepConfig {
    private SweepConfig() {}

    /**
     * Reads the settings of a sweep.
     *
     * @param roots additional roots of config groups
     * @param words overrides of the settings
     * @param confined true to reject overrides that access resources outside the working directory
     * @throws StageException (input) with all problems
     */
    static SweepSettings read(Home home, List<SearchRoot> roots, List<String> words, boolean confined) {
        return read("sweep", SweepSettings.class, home, roots, words, confined);
    }

    /** Reads the run settings from {@code configs/run.conf} and overrides. */
    static RunSettings run(Home home, List<SearchRoot> roots, List<String> words, boolean confined) {
        return words.isEmpty()
                ? new RunSettings(LimitSettings.DEFAULT)
                : read("run", RunSettings.class, home, roots, words, confined);
    }

    private static <T extends Record> T read(
            String name, Class<T> settings, Home home, List<SearchRoot> roots, List<String> words, boolean confined) {
        List<SearchRoot> all = new ArrayList<>(List.of(new SearchRoot("main", home.configs())));
        roots.stream().filter(root -> !root.dir().equals(home.configs())).forEach(all::add);
        ConfigEngine engine = ConfigEngine.open(all);
        SettingsSchema schema = SettingsSchema.of(settings);
        Composition composed = engine.compose(ComposeRequest.of(name, words).withSchema(schema));
        ResolverContext context = ResolverContext.local(Instant.now(), MapNode.empty());
        Resolvers resolvers = Resolvers.installed(context);
        Composition complete = composed.withConfig(schema.complete(composed.config()));
        if (confined) {
            new Confinement(Home.work(), home.dir()).check(complete, schema, () -> resolvers);
        }
        MapNode tree = complete.resolved(resolvers);
        return Binder.bind(tree, settings, BindOptions.STRICT.withGroups(engine::options));
    }

    /** Adds the number of parallel jobs from a flag as a key of a section. */
    static List<String> withJobs(String section, List<String> words, int jobs) {
        String key = section + ".jobs=";
        if (words.stream().anyMatch(word -> word.startsWith(key))) {
            throw StageException.input(Problem.usage("--jobs", "cannot be combined with " + section + ".jobs"));
        }
        List<String> all = new ArrayList<>(words);
        all.add(key + jobs);
        return all;
    }
}
