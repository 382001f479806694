package dev.stagesim.cli;

import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.run.ConfigOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.model.ForeignNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.pipeline.request.TypedArguments;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.vidursim.VidurSimSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Arguments that describe one deployment, composed as for {@code vidur_sim}. */
final class DeploymentArguments {
    static final String STAGE = "vidur_sim";
    private static final List<String> SECTIONS =
            List.of("model", "hardware", "engine", "scheduler", "cluster", "profile", "profiling", "predictor");

    private final String command;
    private final Consumer<String> warn;
    private final Consumer<String> note;
    private final List<String> typed;
    private final List<String> words;
    private final List<String> taken = new ArrayList<>();
    private boolean confined;

    /**
     * Creates arguments.
     *
     * @param warn receives how names of models and devices were read
     * @param note receives notes about defaults
     */
    DeploymentArguments(String command, List<String> words, Consumer<String> warn, Consumer<String> note) {
        this.command = command;
        this.warn = warn;
        this.note = note;
        this.typed = words;
        this.words = new ArrayList<>(words);
    }

    /** Selects whether values that access resources outside the working directory are rejected. */
    DeploymentArguments confined(boolean on) {
        confined = on;
        return this;
    }

    /** Removes {@code key=VALUE} and returns the value of the last one; empty if it is not set. */
    Optional<String> take(String key) {
        taken.add(key);
        List<String> given =
                words.stream().filter(word -> word.startsWith(key + "=")).toList();
        words.removeAll(given);
        return given.isEmpty()
                ? Optional.empty()
                : Optional.of(given.get(given.size() - 1).substring(key.length() + 1));
    }

    /** True if the arguments choose or change this section. */
    boolean sets(String section) {
        return words.stream().anyMatch(word -> Sections.of(word).equals(section));
    }

    /**
     * Returns the composed deployment.
     *
     * @throws StageException (input) if an argument is wrong or has no effect
     */
    RunRequest request(Home home, StageRegistry registry, ConfigOptions config) {
        Stage<?> stage = registry.find(STAGE).orElseThrow();
        Map<String, String> shortKeys = ShortKeys.of(stage);
        for (String word : words) {
            String key = Sections.key(word);
            if (!hasEffect(shortKeys.getOrDefault(key, key))) {
                List<String> options = options(shortKeys);
                List<String> meant = ForeignNames.meant(key).stream()
                        .filter(name -> hasEffect(shortKeys.getOrDefault(name, name)))
                        .limit(1)
                        .toList();
                throw StageException.input(Problem.usage(word, "has no effect in " + command)
                        .didYouMean(meant.isEmpty() ? Suggest.near(key, options) : meant)
                        .options(options)
                        .hint("stage " + command + " --help"));
            }
        }
        List<String> overrides = ShortKeys.expand(stage, words);
        JobComposer composer =
                new JobComposer(config.engine(home), stage, config.nameOr(STAGE), Home::shown).noting(note);
        if (confined) {
            composer.confined(home.dir());
        }
        try {
            return composer.request(composer.compose(overrides), overrides, warn);
        } catch (StageException wrong) {
            throw new TypedArguments(stage, typed).locate(wrong);
        }
    }

    private static boolean hasEffect(String paths) {
        return Arrays.stream(paths.split(" ")).allMatch(path -> SECTIONS.contains(Sections.of(path)));
    }

    /** Returns the keys of the command, the short keys and the sections. */
    private List<String> options(Map<String, String> shortKeys) {
        List<String> options = new ArrayList<>(taken);
        shortKeys.forEach((key, paths) -> {
            if (hasEffect(paths)) {
                options.add(key);
            }
        });
        options.addAll(SECTIONS);
        return options;
    }

    /** Returns the settings of a composed deployment. */
    static VidurSimSettings settings(RunRequest request) {
        return Binder.bind(request.config(), VidurSimSettings.class, request.bindOptions());
    }
}
