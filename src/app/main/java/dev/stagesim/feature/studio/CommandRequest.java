package dev.stagesim.feature.studio;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.Confinement;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command from a page: a stage and overrides of its keys. Flags, interpolations (which may read the environment),
 * programs, and files outside the working directory are allowed only on the command line.
 *
 * @param stage the stage
 * @param words overrides, {@code key=value}
 * @param sweep true if the overrides describe several jobs
 */
record CommandRequest(Stage<?> stage, List<String> words, boolean sweep) {
    private static final Pattern OVERRIDE = Pattern.compile("([A-Za-z_][\\w./-]*)=(.*)", Pattern.DOTALL);

    private static final int MAX_OVERRIDES = 200;
    private static final int MAX_OVERRIDE_LENGTH = 2000;

    /**
     * Request body of a page.
     *
     * @param sweep true if the overrides describe several jobs
     * @param soon true if an estimate is enough
     */
    record Request(String stage, List<String> words, Optional<Boolean> sweep, Optional<Boolean> soon) {}

    /**
     * Parses a request and rejects overrides that are allowed only on the command line; {@code --confined} checks the
     * composed values.
     */
    static CommandRequest of(Request request) {
        Stage<?> stage = stage(request.stage());
        List<Problem> problems = new ArrayList<>();
        for (String word : request.words()) {
            problem(word, stage, request.words()).ifPresent(problems::add);
        }
        if (request.words().size() > MAX_OVERRIDES) {
            problems.add(Problem.usage(request.stage(), "has more than " + MAX_OVERRIDES + " overrides"));
        }
        StageException.refuse(problems);
        return new CommandRequest(
                stage, List.copyOf(request.words()), request.sweep().orElse(false));
    }

    static Stage<?> stage(String name) {
        StageRegistry registry = StageRegistry.standard();
        return registry.find(name)
                .orElseThrow(() -> StageException.input(Problem.usage(name, "no such stage")
                        .options(registry.names())
                        .didYouMean(Suggest.near(name, registry.names()))));
    }

    private static Optional<Problem> problem(String word, Stage<?> stage, List<String> words) {
        Matcher override = OVERRIDE.matcher(word);
        if (!override.matches() || word.length() > MAX_OVERRIDE_LENGTH || word.contains("\n")) {
            return Optional.of(Problem.usage(word, "expected key=value"));
        }
        String key = override.group(1).replace('/', '.');
        boolean isShort = key.equals("repeat") || ShortKeys.of(stage).containsKey(key);
        if (!isShort && !Confinement.hasSection(stage, key.replaceFirst("\\..*", ""))) {
            return Optional.of(Problem.usage(word, "is not a key of this stage"));
        }
        if (Confinement.isForCommandLine(stage, key)) {
            return Optional.of(Problem.usage(word, "a page may not set this key")
                    .hint("copy this line and run it in a shell: "
                            + Shell.command(stage.spec().name(), words)));
        }
        String value = override.group(2);
        return value.contains("{") || value.contains("\\")
                ? Optional.of(Problem.usage(
                        word, "interpolations, sections and escapes are allowed only on the command line"))
                : Optional.empty();
    }

    /** Returns the request and the command line as JSON. */
    JsonObjectBuilder json() {
        return JsonValue.object()
                .put("stage", stage.spec().name())
                .put("words", JsonValue.strings(words))
                .put("sweep", sweep)
                .put("command", Shell.stage(command()));
    }

    /** Returns the command line of a request, confined to the working directory. */
    List<String> confined(String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        all.add("--confined");
        return command(all.toArray(String[]::new));
    }

    /** Returns the command line, with {@code flags} before the overrides. */
    List<String> command(String... flags) {
        List<String> all = new ArrayList<>(List.of(stage.spec().name()));
        if (sweep) {
            all.add("-m");
        }
        all.addAll(List.of(flags));
        all.addAll(words);
        return all;
    }
}
