package dev.stagesim.pipeline.request;

import dev.stagesim.config.Composition;
import dev.stagesim.config.bind.ReachingValue;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Rejects configurations that access resources outside the working directory, for requests from a browser page.
 *
 * <p>The check uses composed values, so the notation of an override does not matter. Values from config files are
 * trusted, except paths: these must be below the working directory or below the installation.
 *
 * @param work the working directory, which relative paths start from
 * @param home the installation
 */
public record Confinement(Path work, Path home) {
    /** The start of a resolver: the literal part of its name, and an interpolation inside the name. */
    private static final Pattern RESOLVER = Pattern.compile("\\$\\{\\s*([^${}:]*)(\\$\\{[^:]*)?:");

    /** Returns true if a stage has keys in a section. */
    public static boolean hasSection(Stage<?> stage, String section) {
        return SettingsSchema.of(stage.spec().settings()).children("").contains(section);
    }

    /** Returns true if only the command line may set a key of a stage. */
    public static boolean isForCommandLine(Stage<?> stage, String key) {
        return SettingsSchema.of(stage.spec().settings()).access(key).isForCommandLine();
    }

    /** Throws if an override adds a directory of configs. Must be called before the composition, which reads them. */
    static void checkSearchPath(List<String> words) {
        StageException.refuse(words.stream()
                .filter(word -> Sections.of(word).equals("hydra"))
                .map(word ->
                        Problem.usage(word, "may only be set on the command line: hydra.* selects config directories"))
                .toList());
    }

    /**
     * Throws if the configuration accesses a forbidden resource. No file of the configuration has been read before this
     * check.
     */
    public void check(Composition composition, SettingsSchema schema, Supplier<Resolvers> resolvers) {
        List<Problem> problems = new ArrayList<>();
        for (ReachingValue found : schema.reaching(composition.config())) {
            problem(found, composition, resolvers).ifPresent(problems::add);
        }
        environment(composition.config(), "", problems);
        StageException.refuse(problems);
    }

    /** Rejects overrides that read the environment, whichever key they set. */
    private static void environment(Node node, String path, List<Problem> problems) {
        if (node instanceof MapNode map) {
            map.entries().forEach((key, value) -> environment(value, KeyNames.join(path, key), problems));
        } else if (node instanceof ListNode list) {
            for (int i = 0; i < list.items().size(); i++) {
                environment(list.items().get(i), KeyNames.join(path, Integer.toString(i)), problems);
            }
        } else if (node instanceof ScalarNode scalar
                && scalar.origin().text() != null
                && scalar.isInterpolation()
                && readsEnvironment(scalar.text())) {
            problems.add(Problem.config(path, "may only read environment variables on the command line")
                    .from(scalar.origin().describe()));
        }
    }

    /** Returns true for the resolver of the environment, and for a resolver whose name is computed. */
    private static boolean readsEnvironment(String text) {
        return RESOLVER.matcher(text)
                .results()
                .anyMatch(call -> call.group(1).strip().equals("oc.env") || call.group(2) != null);
    }

    private Optional<Problem> problem(ReachingValue found, Composition composition, Supplier<Resolvers> resolvers) {
        boolean isOverride = found.value().origin().text() != null;
        if (found.access().isForCommandLine()) {
            return isOverride
                    ? Optional.of(wrong(found, "may only be set on the command line: it " + what(found.access())))
                    : Optional.empty();
        }
        if (found.access() != Resource.FILE || found.value().isMissing()) {
            return Optional.empty();
        }
        Node value = found.value().isInterpolation()
                ? composition.interpolator(resolvers.get()).value(found.path())
                : found.value();
        String text = value instanceof ScalarNode scalar && !scalar.isNull() ? scalar.text() : "";
        return isBelow(work, text) || (!isOverride && isBelow(home, text))
                ? Optional.empty()
                : Optional.of(
                        wrong(found, "is outside the working directory: only the command line may use such files"));
    }

    private static String what(Resource access) {
        return switch (access) {
            case PROGRAM -> "names a program";
            case ENVIRONMENT -> "names an environment variable";
            case NETWORK -> "names a host to connect to";
            case LISTEN -> "is an address to listen on";
            default -> "names a file to write";
        };
    }

    private static Problem wrong(ReachingValue found, String what) {
        return Problem.config(found.path(), what).from(found.value().origin().describe());
    }

    private boolean isBelow(Path folder, String text) {
        try {
            Path path = work.resolve(text);
            // the system follows a link before .., but normalize() removes both
            return OutputFile.isBelow(folder, path) && OutputFile.isBelow(folder, path.normalize());
        } catch (InvalidPathException | IOException unusable) {
            return false;
        }
    }
}
