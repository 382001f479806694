package dev.stagesim.feature.studio;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that a page asks for: a stage and overrides of its keys, and nothing else. Flags, interpolations, which may read the
 * environment, programs and files outside of the working directory are for the command line alone.
 *
 * @param stage the stage
 * @param words overrides, {@code key=value}
 * @param sweep whether they are of several jobs
 */
record Words(Stage<?> stage, List<String> words, boolean sweep) {
    private static final Pattern OVERRIDE = Pattern.compile("([A-Za-z_][\\w./-]*)=(.*)", Pattern.DOTALL);

    /** Last parts of keys whose value is started as a program. */
    private static final Set<String> PROGRAMS = Set.of("python", "submit");

    private static final int MOST = 200;
    private static final int LONGEST = 2000;

    /** Reads what a page sends, as far as it is allowed to. */
    static Words of(JsonAt at, Path work) {
        String name = at.get("stage").asString();
        Stage<?> stage = stage(name);
        List<String> words = at.get("words").asStrings();
        Set<String> known = new LinkedHashSet<>(List.of("repeat"));
        Set<String> paths = new LinkedHashSet<>();
        for (Form.Field field : Form.fields(stage.spec().settings())) {
            known.add(field.path().replaceFirst("\\..*", ""));
            if (field.isPath()) {
                paths.add(field.path());
            }
        }
        List<Problem> problems = new ArrayList<>();
        for (String word : words) {
            if (namesProgram(word)) {
                problems.add(Problem.usage(word, "names a program, and a page may not choose what is started")
                        .hint("copy this line and run it in a shell: " + Shell.command(name, words)));
            }
        }
        for (String word : words) {
            String wrong = wrong(word, known, paths, work);
            if (!wrong.isEmpty()) {
                problems.add(Problem.usage(word, wrong));
            }
        }
        if (words.size() > MOST) {
            problems.add(Problem.usage(name, "has more than " + MOST + " overrides"));
        }
        StageException.refuse(problems);
        return new Words(stage, List.copyOf(words), at.flag("sweep"));
    }

    static Stage<?> stage(String name) {
        StageRegistry registry = StageRegistry.standard();
        return registry.find(name)
                .orElseThrow(() -> StageException.input(Problem.usage(name, "no such stage")
                        .options(registry.names())
                        .didYouMean(Suggest.near(name, registry.names()))));
    }

    static boolean namesProgram(String word) {
        String key = word.replaceFirst("(?s)=.*", "");
        return PROGRAMS.contains(key.replaceFirst(".*[./]", "").strip());
    }

    private static String wrong(String word, Set<String> known, Set<String> paths, Path work) {
        Matcher override = OVERRIDE.matcher(word);
        if (!override.matches() || word.length() > LONGEST || word.contains("\n")) {
            return "expected key=value";
        }
        String key = override.group(1);
        String value = override.group(2);
        if (!known.contains(key.replaceFirst("[./].*", ""))) {
            return "no key of this stage";
        }
        if (value.contains("{") || value.contains("\\")) {
            return "interpolations, sections and escapes are for the command line";
        }
        boolean outside = paths.contains(key)
                && !Pattern.compile("[\\[\\],()'\"]")
                        .splitAsStream(value)
                        .allMatch(part -> isBelow(part.strip(), work));
        return outside ? "files outside of the working directory are for the command line" : "";
    }

    private static boolean isBelow(String text, Path work) {
        try {
            Path path = work.resolve(text);
            // the system follows a link before .., which normalize() takes away
            return RunFiles.isBelow(work, path) && RunFiles.isBelow(work, path.normalize());
        } catch (InvalidPathException | IOException odd) {
            return false;
        }
    }

    /** What {@link #of} reads, and the command line. */
    JsonObjectBuilder json() {
        return JsonValue.object()
                .put("stage", stage.spec().name())
                .put("words", JsonValue.strings(words))
                .put("sweep", sweep)
                .put("command", Shell.stage(command()));
    }

    /** The words of the command line; {@code flags} stand before the overrides. */
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
