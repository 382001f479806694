package dev.stagesim.cli;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.SweepSettings;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

/** Composes how a sweep is made and where it runs: the product's {@code configs/sweep.conf} and the words given. */
final class SweepConfig {
    private static final String NAME = "sweep";

    private SweepConfig() {}

    /**
     * Reads the settings of a sweep.
     *
     * @param roots where else groups may be found, besides the product's own configs
     * @param words overrides of the settings
     * @throws StageException (input) with all problems
     */
    static SweepSettings read(Home home, List<SearchRoot> roots, List<String> words) {
        List<SearchRoot> all = new ArrayList<>(List.of(new SearchRoot("main", home.configs())));
        roots.stream().filter(root -> !root.dir().equals(home.configs())).forEach(all::add);
        ConfigEngine engine = ConfigEngine.open(all);
        SettingsSchema schema = SettingsSchema.of(SweepSettings.class);
        Composition composed = engine.compose(ComposeRequest.of(NAME, words).withSchema(schema));
        ResolverContext context =
                new ResolverContext(System.getenv(), ZonedDateTime.now(ZoneId.systemDefault()), MapNode.empty());
        MapNode tree = composed.withConfig(schema.complete(composed.config())).resolved(Resolvers.installed(context));
        return Binder.bind(tree, SweepSettings.class, BindOptions.STRICT.withGroups(engine::options));
    }

    /** The words, with the number of jobs at a time that a flag gave, as a key of a section. */
    static List<String> withJobs(String section, List<String> words, int jobs) {
        String key = section + ".jobs=";
        if (words.stream().anyMatch(word -> word.startsWith(key))) {
            throw StageException.input(
                    Problem.of("usage error", "--jobs", "cannot be combined with " + section + ".jobs"));
        }
        List<String> all = new ArrayList<>(words);
        all.add(key + jobs);
        return all;
    }
}
