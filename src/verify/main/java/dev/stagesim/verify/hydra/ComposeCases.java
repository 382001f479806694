package dev.stagesim.verify.hydra;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ComposeRequest.Mode;
import dev.stagesim.config.Composition;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.Datum;
import dev.stagesim.config.interp.InterpolationException;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.hydra.InterpCases.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code compose} cases: a config of a tree is composed with overrides.
 *
 * <p>Successful cases must give the same tree, before and after interpolation, the same defaults list and tree, and
 * the same choices; failing ones an error of the same kind with the same options and suggestions.
 */
final class ComposeCases implements AutoCloseable {
    private static final Pattern FULL_KEY = Pattern.compile("full_key: (\\S+)");

    private final Path folder;
    private final Path scratch;
    private final Map<String, ComposeTree> trees = new LinkedHashMap<>();

    private ComposeCases(Path folder, Path scratch) {
        this.folder = folder;
        this.scratch = scratch;
    }

    /**
     * Opens the folder with {@code trees/}.
     *
     * @param scratch a directory for the trees' files, with their placeholders filled in; {@link #close} deletes it
     */
    static ComposeCases open(Path folder, Path scratch) {
        return new ComposeCases(folder, scratch);
    }

    Outcome run(LocatedJson recorded) throws IOException {
        ComposeTree tree = tree(recorded.get("tree").asString());
        List<String> overrides =
                recorded.get("overrides").asStrings().stream().map(tree::filled).toList();
        Optional<String> name = recorded.get("config_name").isNull()
                ? Optional.empty()
                : Optional.of(recorded.get("config_name").asString());
        Dialect dialect = HydraPart.dialect(recorded);
        ComposeRequest request = new ComposeRequest(name, overrides, Mode.RUN, dialect, Optional.empty());
        Optional<ComposeTree.Source> source = name.flatMap(tree::source);
        Outcome outcome;
        Optional<String> rule;
        try {
            Composition composition = tree.engine().compose(request);
            outcome = recorded.get("ok").asBool()
                    ? compare(recorded, composition, tree)
                    : Outcome.failed("no error, but " + composition.config());
            rule = ComposeRules.forResult(source, overrides, composition);
        } catch (StageException e) {
            outcome = recorded.get("ok").asBool()
                    ? Outcome.failed("failed: " + e.getMessage())
                    : dialect == Dialect.HYDRA_1_4
                            ? ErrorKinds.compareFirstLine(recorded.get("error"), e)
                            : ErrorKinds.compare(recorded.get("error"), e);
            rule = ComposeRules.forFailure(source, name.orElse(""), e);
        }
        return outcome.why().isPresent() && rule.isPresent() ? Outcome.by(rule.get()) : outcome;
    }

    private ComposeTree tree(String name) throws IOException {
        ComposeTree known = trees.get(name);
        if (known == null) {
            known = ComposeTree.read(tree(folder.resolve("trees"), name), scratch.resolve(name));
            trees.put(name, known);
        }
        return known;
    }

    /** Returns the folder of a tree. A corpus of differences also refers to the trees of the corpus next to it. */
    private Path tree(Path own, String name) {
        return Files.isDirectory(own.resolve(name))
                ? own.resolve(name)
                : folder.resolve("../../hydra/compose/trees").normalize().resolve(name);
    }

    private static Outcome compare(LocatedJson recorded, Composition composition, ComposeTree tree) {
        List<String> wrong = new ArrayList<>();
        differ(wrong, "config", recorded.get("config").value(), NodeJson.json(composition.config()), tree);
        if (!recorded.has("defaults")) {
            return wrong.isEmpty() ? Outcome.PASSED : Outcome.failed(wrong.get(0));
        }
        differ(wrong, "defaults", recorded.get("defaults").value(), ComposeJson.defaults(composition.defaults()), tree);
        differ(
                wrong,
                "defaults_tree",
                recorded.get("defaults_tree").value(),
                ComposeJson.tree(composition.tree()),
                tree);
        differ(wrong, "choices", recorded.get("choices").value(), ComposeJson.choices(composition.choices()), tree);
        engine(wrong, recorded, composition, tree);
        boolean handedOn = resolved(wrong, recorded, composition, tree);
        if (!wrong.isEmpty()) {
            return Outcome.failed(String.join("; ", wrong));
        }
        return handedOn ? Outcome.by(ComposeRules.MISSING_HANDED_ON) : Outcome.PASSED;
    }

    /** Compares the recorded settings of Hydra itself, if any. */
    private static void engine(List<String> wrong, LocatedJson recorded, Composition composition, ComposeTree tree) {
        if (!recorded.has("hydra")) {
            return;
        }
        Map<String, String> places = Map.of(
                "job_name", "job.name",
                "searchpath", "searchpath",
                "overrides_hydra", "overrides.hydra",
                "overrides_task", "overrides.task",
                "override_dirname", "job.override_dirname",
                "run_dir", "run.dir");
        places.forEach((field, path) -> differ(
                wrong,
                path,
                recorded.get("hydra").get(field).value(),
                NodeJson.json(Optional.ofNullable(Paths.get(composition.engine(), Paths.split(path)))
                        .orElse(MapNode.empty())),
                tree));
    }

    /**
     * Compares the resolved tree. Returns true if a missing mandatory value was passed on as {@code ???} instead of
     * failing.
     */
    private static boolean resolved(
            List<String> wrong, LocatedJson recorded, Composition composition, ComposeTree tree) {
        ResolverContext context =
                new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), composition.engine());
        Resolvers resolvers = Resolvers.standard(context);
        Optional<LocatedJson> error = recorded.find("resolve_error");
        error.ifPresent(expected -> unresolved(wrong, expected, composition.interpolator(resolvers)));
        MapNode resolved;
        try {
            resolved = composition.resolved(resolvers);
        } catch (StageException e) {
            if (error.isEmpty()) {
                wrong.add("resolving failed: " + e.getMessage());
            }
            return false;
        }
        if (error.isPresent()) {
            boolean missing = ComposeRules.isHandedOn(composition.config(), resolved, key(error.get()));
            if (!missing) {
                wrong.add("resolving did not fail: " + NodeJson.json(resolved));
            }
            return missing;
        }
        JsonValue expected = recorded.get("resolved").value();
        boolean same = expected instanceof JsonValue.Str;
        differ(wrong, "resolved", same ? recorded.get("config").value() : expected, NodeJson.json(resolved), tree);
        return false;
    }

    /** Compares the kind of a recorded failure with the kind of the product's error. */
    private static void unresolved(List<String> wrong, LocatedJson error, Interpolator interpolator) {
        String expected = error.get("class").asString();
        try {
            Datum value = interpolator.evaluate(key(error));
            wrong.add("resolve_error: expected " + expected + ", got " + TypedJson.text(value, false));
        } catch (InterpolationException e) {
            String kind = InterpCases.className(e.kind());
            if (!kind.equals(expected)) {
                wrong.add("resolve_error: expected " + expected + ", got " + kind + ": " + e.getMessage());
            }
        }
    }

    /** The path that failed to resolve. */
    private static String key(LocatedJson error) {
        Matcher key = FULL_KEY.matcher(error.get("message").asString());
        return key.find() ? key.group(1) : "";
    }

    private static void differ(
            List<String> wrong, String what, JsonValue expected, JsonValue actual, ComposeTree tree) {
        JsonValue filled = tree.filled(expected);
        // objects are equal in any member order, but the order of a tree's keys is part of the result
        boolean ordered = !what.equals("config") || filled.toString().equals(actual.toString());
        if (!filled.equals(actual) || !ordered) {
            wrong.add(what + ": expected " + filled + ", got " + actual);
        }
    }

    /** Deletes the files of the cases. */
    @Override
    public void close() throws IOException {
        if (Files.exists(scratch)) {
            Directories.delete(scratch);
        }
    }
}
