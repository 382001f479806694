package dev.stagesim.config.interp;

import dev.stagesim.config.interp.InterpolationException.Kind;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ServiceProviders;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The registry of resolvers that a configuration may call. Immutable. */
public final class Resolvers {
    /** The providers of a class path. */
    private record Providers(@Nullable ClassLoader loader, List<ResolverProvider> all) {}

    /** The providers of the last class loader, cached for the jobs of a sweep. */
    private static volatile @Nullable Providers last;

    private final Map<String, Resolver> byName;

    private Resolvers(Map<String, Resolver> byName) {
        this.byName = byName;
    }

    /** Returns a registry of exactly these resolvers. */
    public static Resolvers of(Collection<Resolver> resolvers) {
        return new Resolvers(new TreeMap<>()).with(resolvers);
    }

    /** Returns the built-in resolvers. {@link ResolverContext} lists their inputs. */
    public static Resolvers standard(ResolverContext context) {
        List<Resolver> all = new ArrayList<>();
        all.addAll(ValueResolvers.all(context));
        all.addAll(KeyResolvers.all());
        all.addAll(RunResolvers.all(context));
        all.addAll(MachineFacts.all());
        return of(all);
    }

    /**
     * Returns the built-in resolvers and those of every {@link ResolverProvider} on the class path.
     *
     * @throws StageException (input) if a provider uses a name twice, or cannot be loaded
     */
    public static Resolvers installed(ResolverContext context) {
        Resolvers all = standard(context);
        try {
            for (ResolverProvider provider : providers(Thread.currentThread().getContextClassLoader())) {
                all = all.with(provider, context);
            }
        } catch (ServiceConfigurationError broken) {
            String why = String.valueOf(broken.getMessage());
            throw StageException.input(Problem.config("resolvers", why), broken);
        }
        return all;
    }

    private static List<ResolverProvider> providers(@Nullable ClassLoader loader) {
        Providers known = last;
        if (known == null || known.loader() != loader) {
            known = new Providers(
                    loader,
                    ServiceProviders.of(
                            ResolverProvider.class, () -> ServiceLoader.load(ResolverProvider.class, loader)));
            last = known;
        }
        return known.all();
    }

    private Resolvers with(ResolverProvider provider, ResolverContext context) {
        List<Resolver> more = provider.resolvers(context);
        List<Problem> taken = more.stream()
                .filter(resolver -> byName.containsKey(resolver.name()))
                .map(resolver -> Problem.config(resolver.name(), "the resolver is registered twice")
                        .from(provider.getClass().getName())
                        .hint("give one of the two another name"))
                .toList();
        StageException.refuse(taken);
        return with(more);
    }

    /** Returns these resolvers and {@code more}. Throws IllegalStateException if a name is used twice. */
    public Resolvers with(Collection<Resolver> more) {
        Map<String, Resolver> all = new TreeMap<>(byName);
        for (Resolver resolver : more) {
            if (all.put(resolver.name(), resolver) != null) {
                throw new IllegalStateException("resolver " + resolver.name() + " is registered twice");
            }
        }
        return new Resolvers(all);
    }

    /** Returns all resolvers, sorted by name, for help. */
    List<Resolver> all() {
        return List.copyOf(byName.values());
    }

    Resolver get(String name) {
        Resolver resolver = byName.get(name);
        if (resolver == null) {
            throw InterpolationException.of(
                    Kind.RESOLVER, "there is no resolver '" + name + "'", Suggest.near(name, byName.keySet()));
        }
        return resolver;
    }

    /** Resolvers for the names of runs: facts of the stage, the time, stable ids. */
    private static final class RunResolvers {
        private static final int ID_DIGITS = 10;

        private RunResolvers() {}

        static List<Resolver> all(ResolverContext context) {
            return List.of(
                    new Resolver(
                            "stage",
                            "path",
                            "A fact about the stage being run: its name, the job's number, the choices made.",
                            1,
                            1,
                            (arguments, call) -> runtime(arguments.get(0), call, context.runtime())),
                    new Resolver(
                            "now",
                            "format",
                            "The time of the invocation in strftime's notation; the same for all jobs of a sweep.",
                            1,
                            1,
                            (arguments, call) -> Datum.of(Strftime.format(
                                    call.text(arguments.get(0)), context.now().get()))),
                    new Resolver(
                            "stable_id",
                            "prefix[, value, ...]",
                            "The prefix and 10 hexadecimal digits that depend on the values alone.",
                            1,
                            Resolver.ANY,
                            RunResolvers::stableId));
        }

        private static Datum runtime(Datum path, ResolverCall call, MapNode runtime) {
            Evaluation facts = new Evaluation(Resolvers.of(List.of()), dev.stagesim.config.grammar.Dialect.STAGE);
            String key = call.text(path);
            return facts.find(Cell.root(runtime), key, true)
                    .map(facts::plain)
                    .orElseThrow(() -> InterpolationException.failed("the stage has no fact '" + key + "'"));
        }

        /** Hashes a JSON list of all values after the prefix. */
        private static Datum stableId(List<Datum> arguments, ResolverCall call) {
            List<Datum> values = arguments.subList(1, arguments.size()).stream()
                    .map(call::plain)
                    .map(Canonical::sorted)
                    .toList();
            String digest = Sha256.hex(StageText.json(new Datum.Sequence(values)));
            return Datum.of(call.text(arguments.get(0)) + digest.substring(0, ID_DIGITS));
        }
    }

    /** Resolvers that read other keys of the configuration. */
    private static final class KeyResolvers {
        private static final String DEPRECATED = "'$OLD_KEY' is deprecated, use '$NEW_KEY'";

        private KeyResolvers() {}

        static List<Resolver> all() {
            return List.of(
                    new Resolver(
                            "oc.select",
                            "key[, default]",
                            "The value of a key, or the default (null) when it does not exist or was not given.",
                            1,
                            2,
                            KeyResolvers::select),
                    new Resolver(
                            "oc.deprecated",
                            "key[, message]",
                            "The value of the key that replaces this one, with a warning.",
                            1,
                            2,
                            KeyResolvers::deprecated),
                    new Resolver("oc.dict.keys", "key", "The keys of a section, as a list.", 1, 1, KeyResolvers::keys),
                    new Resolver(
                            "oc.dict.values",
                            "key",
                            "The values of a section, as a list.",
                            1,
                            1,
                            KeyResolvers::values));
        }

        private static Datum select(List<Datum> arguments, ResolverCall call) {
            return call.select(key("oc.select", arguments.get(0), call))
                    .filter(value -> !isMissing(value))
                    .orElseGet(() -> arguments.size() > 1 ? arguments.get(1) : Datum.ofNull());
        }

        private static boolean isMissing(Datum value) {
            return value instanceof Datum.Atom atom && atom.scalar().isMissing();
        }

        private static Datum deprecated(List<Datum> arguments, ResolverCall call) {
            String key = key("oc.deprecated", arguments.get(0), call);
            String message = arguments.size() > 1 ? key("oc.deprecated", arguments.get(1), call) : DEPRECATED;
            Datum value = call.select(key)
                    .orElseThrow(() -> InterpolationException.failed("oc.deprecated: key '" + key + "' not found"));
            call.warn(message.replace("$OLD_KEY", call.path()).replace("$NEW_KEY", call.absolute(key)));
            return value;
        }

        private static Datum keys(List<Datum> arguments, ResolverCall call) {
            MapNode map = map("oc.dict.keys", arguments.get(0), call);
            List<Node> names = map.keys().stream()
                    .map(name -> (Node) ScalarNode.of(name, Origin.UNKNOWN))
                    .toList();
            return call.section(new ListNode(names, Origin.UNKNOWN));
        }

        /** Returns a list of references, so that an invalid value fails only when it is read. */
        private static Datum values(List<Datum> arguments, ResolverCall call) {
            MapNode map = map("oc.dict.values", arguments.get(0), call);
            String key = call.text(arguments.get(0));
            String prefix = key.startsWith(".") ? "." + key : key;
            List<Node> references = map.keys().stream()
                    .map(name -> (Node) ScalarNode.of("${" + prefix + "." + name + "}", Origin.UNKNOWN))
                    .toList();
            return call.section(new ListNode(references, Origin.UNKNOWN));
        }

        private static MapNode map(String resolver, Datum argument, ResolverCall call) {
            String key = key(resolver, argument, call);
            Datum found = call.selectGiven(key)
                    .orElseThrow(() -> InterpolationException.failed(resolver + ": key '" + key + "' not found"));
            if (found instanceof Datum.Section section && section.raw() instanceof MapNode map) {
                return map;
            }
            throw InterpolationException.failed(resolver + " needs the key of a section, but '" + key + "' is none");
        }

        private static String key(String resolver, Datum argument, ResolverCall call) {
            if (!argument.isString()) {
                throw InterpolationException.failed(resolver + " needs text, got " + call.text(argument));
            }
            return call.text(argument);
        }
    }

    /** Sorts values into an order that does not depend on their notation. */
    private static final class Canonical {
        private Canonical() {}

        /** Sorts the keys of every map in a plain value. */
        static Datum sorted(Datum value) {
            if (value instanceof Datum.Sequence list) {
                return new Datum.Sequence(
                        list.items().stream().map(Canonical::sorted).toList());
            }
            if (value instanceof Datum.Table table) {
                return new Datum.Table(table.entries().stream()
                        .map(entry -> new Datum.Entry(entry.key(), sorted(entry.value())))
                        .sorted(Comparator.comparing(entry -> entry.key().text()))
                        .toList());
            }
            return value;
        }
    }
}
