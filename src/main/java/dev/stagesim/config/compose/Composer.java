package dev.stagesim.config.compose;

import dev.stagesim.config.compose.DirectorySource.Stamp;
import dev.stagesim.config.compose.typed.TypedConfig;
import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Sweep;
import dev.stagesim.config.hocon.ConfigFile;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Composes trees from config files and overrides.
 *
 * <p>What depends on the choice of groups alone (the defaults list and the merged files) is kept per set of choices;
 * a job that differs in values only copies the paths that its overrides touch.
 */
public final class Composer {
    /** The merged files of one set of group choices, before overrides of values. */
    private record Expanded(
            MapNode tree,
            List<DefaultEntry> defaults,
            DefaultsNode defaultsTree,
            Map<String, Optional<String>> choices,
            List<String> warnings,
            Typing typing) {}

    private record Kept(Expanded expanded, Map<Path, Optional<DirectorySource.Stamp>> seen) {}

    /** Sets of choices to keep; a sweep over more of them than this reads its files again now and then. */
    private static final int MOST_KEPT = 4096;

    private final List<SearchRoot> roots;
    private final Map<String, TypedConfig> typed = new LinkedHashMap<>();
    private final Function<String, Optional<String>> environment;
    private final RecordingProbes probes = new RecordingProbes();
    private final Map<SearchRoot, DirectorySource> directories = new ConcurrentHashMap<>();
    private final Map<List<Object>, Kept> kept = new ConcurrentHashMap<>();

    public Composer(List<SearchRoot> roots, List<TypedConfig> typed, Function<String, Optional<String>> environment) {
        this.roots = List.copyOf(roots);
        this.environment = environment;
        typed.forEach(config -> this.typed.put(config.path(), config));
    }

    /**
     * What to compose; see the facade's request.
     *
     * @param primary the primary config; empty for none
     * @param overrides all overrides, parsed
     * @param dialect whose rules apply
     * @param skipMissing true when groups without an option are left out
     * @param schema the program's keys
     */
    public record Request(
            Optional<String> primary,
            List<ConfigOverride> overrides,
            Dialect dialect,
            boolean skipMissing,
            Optional<KnownKeys> schema) {
        Rules rules() {
            return Rules.of(dialect);
        }
    }

    /**
     * The composed tree and how it came about.
     *
     * @param tree the whole tree, the engine's node included
     */
    public record Result(
            MapNode tree,
            List<DefaultEntry> defaults,
            DefaultsNode defaultsTree,
            Map<String, Optional<String>> choices,
            List<String> warnings,
            List<SearchRoot> searchPath) {}

    /** A view of all configs below the roots, for listings. */
    Repository repository() {
        return repository(List.of());
    }

    private Repository repository(List<SearchRoot> added) {
        List<ConfigSource> sources = new ArrayList<>();
        sources.add(EngineConfigs.get().source);
        roots.forEach(root -> sources.add(directory(root)));
        added.forEach(root -> sources.add(directory(root)));
        Map<String, ConfigFile> configs = new LinkedHashMap<>();
        typed.forEach((path, config) ->
                configs.put(path, ConfigFile.of("typed:" + path, config.type().defaults())));
        if (!configs.isEmpty()) {
            sources.add(new TreeSource(new SearchRoot("schema", Path.of("typed")), configs));
        }
        return new Repository(sources);
    }

    private DirectorySource directory(SearchRoot root) {
        return directories.computeIfAbsent(root, key -> new DirectorySource(key, probes));
    }

    private FileSystem files() {
        return roots.isEmpty() ? FileSystems.getDefault() : roots.get(0).dir().getFileSystem();
    }

    /** Composes one configuration. */
    public Result compose(Request request) {
        probes.start();
        try {
            return recorded(request);
        } finally {
            probes.stop();
        }
    }

    private Result recorded(Request request) {
        String primary = request.primary().orElse(EngineConfigs.EMPTY);
        Optional<ConfigFile> file = repository(List.of()).load(primary);
        file.ifPresent(found -> checkIsMap(found, primary));
        List<SearchRoot> added = SearchPath.added(file, request.overrides(), files());
        Repository repository = repository(added);
        Findings findings = new Findings(request.rules().reportsAll());
        findings.attempt(() -> Sweeps.check(request.overrides(), request.skipMissing()));
        GroupOverrides overrides = GroupOverrides.classify(request.overrides(), repository, request.rules(), findings);
        Expanded expanded;
        try {
            expanded = expanded(request, primary, added, repository, overrides);
        } catch (StageException wrong) {
            findings.add(wrong);
            OverrideApplier applier = applier(request, repository, new Typing());
            findings.attempt(() -> applier.checkKeys(overrides.config()));
            throw all(findings, wrong, request, applier, MapNode.empty(), overrides.config());
        }
        OverrideApplier applier = applier(request, repository, expanded.typing());
        MapNode tree;
        try {
            tree = applier.applyAll(expanded.tree(), overrides.config());
        } catch (StageException wrong) {
            findings.add(wrong);
            throw all(findings, wrong, request, applier, expanded.tree(), overrides.config());
        }
        List<String> warnings = new ArrayList<>(expanded.warnings());
        if (request.rules().keepsTyped()) {
            findings.attempt(() -> warnings.addAll(DiscardedOverrides.check(tree, overrides.config())));
        }
        findings.end();
        Map<String, Optional<String>> choices = new LinkedHashMap<>(expanded.choices());
        choices.keySet().removeIf(Composer::isEngine);
        return new Result(
                EngineFields.fill(
                        OptionalReferences.settle(tree), request.overrides(), expanded.choices(), request.primary()),
                expanded.defaults(),
                expanded.defaultsTree(),
                choices,
                warnings,
                repository.roots());
    }

    private static OverrideApplier applier(Request request, Repository repository, Typing typing) {
        return new OverrideApplier(request.rules(), typing, request.schema(), repository::groups);
    }

    /** Adds what is wrong with the values of the part that could be composed, then throws everything found. */
    private static StageException all(
            Findings findings,
            StageException last,
            Request request,
            OverrideApplier applier,
            MapNode tree,
            List<ConfigOverride> overrides) {
        request.schema().ifPresent(known -> {
            MapNode start = tree.isEmpty() ? known.defaults() : tree;
            findings.addAll(known.wrongValues(applier.applyPossible(start, overrides), !tree.isEmpty()));
        });
        findings.end();
        return last;
    }

    private static void checkIsMap(ConfigFile file, String name) {
        if (file.value().isPresent()) {
            throw Errors.at(file.origin(), "primary config '" + name + "' must be a map, found a list");
        }
    }

    private Expanded expanded(
            Request request, String primary, List<SearchRoot> added, Repository repository, GroupOverrides overrides) {
        List<Object> key = new ArrayList<>(overrides.identity());
        key.addAll(List.of(primary, added, request.dialect(), request.skipMissing(), request.schema()));
        Kept known = kept.get(key);
        if (known != null && probes.still(known.seen())) {
            return known.expanded();
        }
        Expanded fresh = merged(
                new DefaultsResolver(repository, overrides, request, environment).resolve(primary),
                request,
                repository);
        if (kept.size() >= MOST_KEPT) {
            kept.clear();
        }
        kept.put(key, new Kept(fresh, probes.seen()));
        return fresh;
    }

    private Expanded merged(DefaultsResolver.Resolved resolved, Request request, Repository repository) {
        Typing typing = new Typing();
        Merger merger = Merger.ofFiles(typing);
        Splices splices = new Splices();
        List<String> warnings = new ArrayList<>();
        MapNode tree = request.schema().map(KnownKeys::defaults).orElse(MapNode.empty());
        for (DefaultEntry entry : resolved.list()) {
            ConfigFile file = repository.load(entry.config()).orElseThrow();
            List<String> place = Paths.split(entry.pkg());
            checkSearchPath(entry, file, place);
            Node placed = Paths.wrap(place, file.content());
            splices.replacedBy(place, file.content());
            TypedConfig declared = declared(entry, file);
            if (declared != null) {
                typing.checkMount(place, declared.type(), file.origin());
                typing.mount(place, declared.type());
            }
            tree = (MapNode) merger.merge(List.of(), tree, placed);
            tree = splices.add(tree, place, file.splices());
            warnings.addAll(file.warnings());
        }
        List<DefaultEntry> shown = resolved.list().stream()
                .filter(entry -> !isEngine(entry.config()))
                .toList();
        return new Expanded(splices.finish(tree), shown, resolved.tree(), resolved.choices(), warnings, typing);
    }

    private @Nullable TypedConfig declared(DefaultEntry entry, ConfigFile file) {
        if (entry.config().equals(EngineConfigs.ROOT)) {
            return EngineConfigs.get().settings;
        }
        return file.source().equals("typed:" + entry.config()) ? typed.get(entry.config()) : null;
    }

    private static boolean isEngine(String path) {
        return path.startsWith(EngineConfigs.NODE + "/");
    }

    private static void checkSearchPath(DefaultEntry entry, ConfigFile file, List<String> place) {
        boolean legal = entry.primary() || isEngine(entry.config());
        Node added = legal ? null : Paths.get(Paths.wrap(place, file.content()), Paths.split(SearchPath.KEY));
        if (added != null) {
            throw Errors.at(added.origin(), SearchPath.KEY + " can only be set in the primary config");
        }
    }

    /** All groups, sorted; the engine's own are left out. */
    public List<String> groups() {
        return repository().groups().stream()
                .filter(group -> !isEngine(group + "/"))
                .toList();
    }

    /** The options directly inside a group, sorted; of the root, the primary configs. */
    public List<String> options(String group) {
        return repository().options(group).stream()
                .filter(name -> !name.equals(EngineConfigs.EMPTY))
                .toList();
    }

    /** The options inside a group and the groups below it, sorted. */
    public List<String> optionsBelow(String group) {
        List<String> all = new ArrayList<>(options(group));
        for (String name : repository().subgroups(group)) {
            String path = group.isEmpty() ? name : group + "/" + name;
            if (!isEngine(path + "/")) {
                optionsBelow(path).forEach(option -> all.add(name + "/" + option));
            }
        }
        all.sort(String::compareTo);
        return all;
    }

    /** Notes the state of every path that a composition asks for, so that its result can be reused while they last. */
    private static final class RecordingProbes implements DirectorySource.Probes {
        private static final ThreadLocal<@Nullable Map<Path, Optional<Stamp>>> CURRENT = new ThreadLocal<>();

        /** Starts a recording on this thread; within it every path is looked at once. */
        void start() {
            CURRENT.set(new LinkedHashMap<>());
        }

        /** What this thread's recording has seen so far. */
        Map<Path, Optional<Stamp>> seen() {
            Map<Path, Optional<Stamp>> seen = CURRENT.get();
            return seen == null ? Map.of() : new LinkedHashMap<>(seen);
        }

        void stop() {
            CURRENT.remove();
        }

        /** True when every path is still as it was. */
        boolean still(Map<Path, Optional<Stamp>> seen) {
            return seen.entrySet().stream()
                    .allMatch(entry -> entry.getValue().equals(Optional.ofNullable(stamp(entry.getKey()))));
        }

        @Override
        public @Nullable Stamp stamp(Path path) {
            Map<Path, Optional<Stamp>> seen = CURRENT.get();
            if (seen == null) {
                return DirectorySource.Probes.read(path);
            }
            return seen.computeIfAbsent(path, key -> Optional.ofNullable(DirectorySource.Probes.read(key)))
                    .orElse(null);
        }
    }

    /** Says where sweeps are out of place. */
    private static final class Sweeps {
        private Sweeps() {}

        /**
         * Checks the overrides.
         *
         * @param multirun true when sweeps over the program's keys are welcome
         */
        static void check(List<ConfigOverride> overrides, boolean multirun) {
            List<Problem> problems = new ArrayList<>();
            for (ConfigOverride override : overrides) {
                if (override.isSweep() && multirun && override.isEngineSetting()) {
                    problems.add(Errors.problem(
                            override.key(),
                            "sweeping over the engine's settings is not supported: '" + override.input() + "'"));
                } else if (override.isSweep() && !multirun) {
                    problems.add(problem(override));
                }
            }
            if (!problems.isEmpty()) {
                throw StageException.input(problems);
            }
        }

        private static Problem problem(ConfigOverride override) {
            if (override.value()
                    .filter(value -> value instanceof Sweep.Choice sweep && sweep.simple())
                    .isPresent()) {
                return Errors.problem(override.key(), "ambiguous value for argument '" + override.input() + "'")
                        .hint("to use it as a list, write " + override.key() + "=[value1,value2]")
                        .hint("to use it as a string, quote the value: " + override.key() + "=\\'value1,value2\\'")
                        .hint("to sweep over it, add --multirun");
            }
            return Errors.problem(override.key(), "sweep parameters '" + override.input() + "' requires --multirun");
        }
    }
}
