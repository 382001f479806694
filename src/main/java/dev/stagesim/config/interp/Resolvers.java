package dev.stagesim.config.interp;

import dev.stagesim.config.interp.InterpolationException.Kind;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The resolvers that a configuration may call; immutable, the one place where they are registered. */
public final class Resolvers {
    private final Map<String, Resolver> byName;

    private Resolvers(Map<String, Resolver> byName) {
        this.byName = byName;
    }

    /** Exactly these. */
    public static Resolvers of(Collection<Resolver> resolvers) {
        return new Resolvers(new TreeMap<>()).with(resolvers);
    }

    /** The built-in ones; see {@link ResolverContext} for what they depend on. */
    public static Resolvers standard(ResolverContext context) {
        List<Resolver> all = new ArrayList<>();
        all.addAll(ValueResolvers.all(context));
        all.addAll(KeyResolvers.all());
        all.addAll(RunResolvers.all(context));
        all.addAll(MachineFacts.all());
        return of(all);
    }

    /**
     * The built-in ones and those of every {@link ResolverProvider} on the class path.
     *
     * @throws StageException (input) when a provider takes a name that is taken, or cannot be loaded
     */
    public static Resolvers installed(ResolverContext context) {
        Resolvers all = standard(context);
        try {
            for (ResolverProvider provider : ServiceLoader.load(ResolverProvider.class)) {
                all = all.with(provider, context);
            }
        } catch (ServiceConfigurationError broken) {
            String why = String.valueOf(broken.getMessage());
            throw StageException.input(Problem.of("config error", "resolvers", why), broken);
        }
        return all;
    }

    private Resolvers with(ResolverProvider provider, ResolverContext context) {
        List<Resolver> more = provider.resolvers(context);
        List<Problem> taken = more.stream()
                .filter(resolver -> byName.containsKey(resolver.name()))
                .map(resolver -> Problem.of("config error", resolver.name(), "the resolver is registered twice")
                        .from(provider.getClass().getName())
                        .hint("give one of the two another name"))
                .toList();
        if (!taken.isEmpty()) {
            throw StageException.input(taken);
        }
        return with(more);
    }

    /** These and more. Throws IllegalStateException when a name is taken. */
    public Resolvers with(Collection<Resolver> more) {
        Map<String, Resolver> all = new TreeMap<>(byName);
        for (Resolver resolver : more) {
            if (all.put(resolver.name(), resolver) != null) {
                throw new IllegalStateException("resolver " + resolver.name() + " is registered twice");
            }
        }
        return new Resolvers(all);
    }

    /** All resolvers, by name, for help. */
    public List<Resolver> all() {
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
}
