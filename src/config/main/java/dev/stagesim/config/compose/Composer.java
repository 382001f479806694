package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.ConfigSource;
import dev.stagesim.config.compose.source.DirectorySource;
import dev.stagesim.config.compose.source.DirectorySource.Stamp;
import dev.stagesim.config.compose.source.EngineConfigs;
import dev.stagesim.config.compose.source.Repository;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.compose.source.TreeSource;
import dev.stagesim.config.compose.typed.TypedConfig;
import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.SweepValue;
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
 * <p>The defaults list and the merged files depend only on the choices of groups, so they are cached per set of
 * choices. A job with other values but the same choices copies only the paths that its overrides change.
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

    private record CachedComposition(Expanded expanded, Map<Path, Optional<DirectorySource.Stamp>> seen) {}

    /** Maximum number of cached sets of choices. A sweep over more sets clears the cache and reads its files again. */
    private static final int MAX_CACHED_COMPOSITIONS = 4096;

    private final List<SearchRoot> roots;
    private final Map<String, TypedConfig> typed = new LinkedHashMap<>();
    private final Function<String, Optional<String>> environment;
    private final RecordingProbes probes = new RecordingProbes();
    private final Map<SearchRoot, DirectorySource> directories = new ConcurrentHashMap<>();
    private final Map<List<Object>, CachedComposition> kept = new ConcurrentHashMap<>();

    public Composer(List<SearchRoot> roots, List<TypedConfig> typed, Function<String, Optional<String>> environment) {
        this.roots = List.copyOf(roots);
        this.environment = environment;
        typed.forEach(config -> this.typed.put(config.path(), config));
    }

    /**
     * A composition request.
     *
     * @param primary the primary config, or empty for none
     * @param overrides all overrides, parsed
     * @param dialect the dialect that sets the composition rules
     * @param skipMissing true if groups without an option are skipped
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
     * The composed tree and the inputs that led to it.
     *
     * @param tree the whole tree, including the engine's node
     */
    public record Result(
            MapNode tree,
            List<DefaultEntry> defaults,
            DefaultsNode defaultsTree,
            Map<String, Optional<String>> choices,
            List<String> warnings,
            List<SearchRoot> searchPath) {}

    /** Returns a view of all configs below the roots, for listings. */
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

    /** Returns the aliases of overrides in a primary config; none if the dialect does not support them. */
    public OverrideAliases aliases(String primary, Dialect dialect) {
        return Rules.of(dialect).hasAliases()
                ? repository()
                        .load(primary)
                        .filter(file -> file.value().isEmpty())
                        .map(file -> OverrideAliases.of(file.body()))
                        .orElse(OverrideAliases.NONE)
                : OverrideAliases.NONE;
    }

    /** Composes one configuration. */
    public Result compose(Request request) {
        if (request.rules().hasAliases()) {
            OverrideAliases.refuseOverrides(request.overrides());
        }
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
        findings.attempt(() -> Sweeps.check(request));
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
        if (request.schema().isPresent()) {
            findings.attempt(() -> EngineFields.refuseIneffective(tree, request.overrides()));
        }
        List<String> warnings = new ArrayList<>(expanded.warnings());
        if (request.rules().rejectsIneffectiveOverrides()) {
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

    /** Adds the problems of the values in the part that could be composed, then throws all problems. */
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
        CachedComposition known = kept.get(key);
        if (known != null && probes.still(known.seen())) {
            return known.expanded();
        }
        Expanded fresh = merged(
                new DefaultsResolver(repository, overrides, request, environment).resolve(primary),
                request,
                repository);
        if (kept.size() >= MAX_CACHED_COMPOSITIONS) {
            kept.clear();
        }
        kept.put(key, new CachedComposition(fresh, probes.seen()));
        return fresh;
    }

    private Expanded merged(DefaultsResolver.Resolved resolved, Request request, Repository repository) {
        Typing typing = new Typing();
        Merger merger = Merger.ofFiles(typing);
        PendingConcatenations concatenations = new PendingConcatenations();
        List<String> warnings = new ArrayList<>();
        MapNode tree = request.schema().map(KnownKeys::defaults).orElse(MapNode.empty());
        for (DefaultEntry entry : resolved.list()) {
            ConfigFile file = repository.load(entry.config()).orElseThrow();
            List<String> place = Paths.split(entry.pkg());
            checkSearchPath(entry, file, place);
            Node content = entry.primary() && place.isEmpty() && request.rules().hasAliases()
                    ? OverrideAliases.removedFrom(file.body())
                    : file.content();
            Node placed = Paths.wrap(place, content);
            if (request.rules().hasAliases()) {
                OverrideAliases.refuseIn(placed);
            }
            concatenations.replacedBy(place, file.content());
            TypedConfig declared = declared(entry, file);
            if (declared != null) {
                typing.checkMount(place, declared.type(), file.origin());
                typing.mount(place, declared.type());
            }
            tree = (MapNode) merger.merge(List.of(), tree, placed);
            tree = concatenations.add(tree, place, file.concatenations());
            warnings.addAll(file.warnings());
        }
        List<DefaultEntry> shown = resolved.list().stream()
                .filter(entry -> !isEngine(entry.config()))
                .toList();
        return new Expanded(concatenations.finish(tree), shown, resolved.tree(), resolved.choices(), warnings, typing);
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

    /** Returns all groups except the engine's, sorted. */
    public List<String> groups() {
        return repository().groups().stream()
                .filter(group -> !isEngine(group + "/"))
                .toList();
    }

    /** Returns the options directly inside a group, sorted. The options of the root are the primary configs. */
    public List<String> options(String group) {
        return repository().options(group).stream()
                .filter(name -> !name.equals(EngineConfigs.EMPTY))
                .toList();
    }

    /** Returns the options inside a group and its subgroups, sorted. */
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

    /**
     * Records the state of every path that a composition reads. A cached result is valid while these states stay the
     * same.
     */
    private static final class RecordingProbes implements DirectorySource.Probes {
        private static final ThreadLocal<@Nullable Map<Path, Optional<Stamp>>> CURRENT = new ThreadLocal<>();

        /** Starts a recording on this thread. The recording reads the stamp of each path once. */
        void start() {
            CURRENT.set(new LinkedHashMap<>());
        }

        /** Returns the stamps of this thread's recording. */
        Map<Path, Optional<Stamp>> seen() {
            Map<Path, Optional<Stamp>> seen = CURRENT.get();
            return seen == null ? Map.of() : new LinkedHashMap<>(seen);
        }

        void stop() {
            CURRENT.remove();
        }

        /** Returns true if every path still has its recorded stamp. */
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

    /** Reports sweeps that are not allowed. */
    private static final class Sweeps {
        private Sweeps() {}

        /**
         * Checks the overrides. Sweeps over the program's keys are allowed if the request skips missing values.
         */
        static void check(Request request) {
            boolean multirun = request.skipMissing();
            List<Problem> problems = new ArrayList<>();
            for (ConfigOverride override : request.overrides()) {
                if (override.isSweep() && multirun && override.isEngineSetting()) {
                    problems.add(Errors.problem(
                            override.key(),
                            "sweeping over the engine's settings is not supported: '" + override.input() + "'"));
                } else if (override.isSweep() && !multirun) {
                    problems.add(problem(override, request.schema()));
                }
            }
            StageException.refuse(problems);
        }

        private static Problem problem(ConfigOverride override, Optional<KnownKeys> schema) {
            if (override.value()
                    .filter(value -> value instanceof SweepValue.Choice sweep && sweep.simple())
                    .isPresent()) {
                if (schema.isPresent() && !schema.get().isList(override.key())) {
                    return Errors.problem(override.key(), "takes one value, got '" + override.input() + "'")
                            .hint("run one job for each value: -m '" + override.input() + "'");
                }
                String values = override.input().substring(override.input().indexOf('=') + 1);
                return Errors.problem(override.key(), "ambiguous value for argument '" + override.input() + "'")
                        .hint("to sweep over it, add --multirun (-m)")
                        .hint("to use it as a list, write " + override.key() + "=[" + values + "]")
                        .hint("to use it as a string, quote the value: " + override.key() + "=\\'" + values + "\\'");
            }
            return Errors.problem(override.key(), "sweep parameters '" + override.input() + "' requires --multirun");
        }
    }
}
