package dev.stagesim.config.interp;

import java.util.List;

/**
 * Adds resolvers to the built-in ones.
 *
 * <p>An implementation has a public constructor without parameters, and its jar names it in
 * {@code META-INF/services/dev.stagesim.config.interp.ResolverProvider}.
 */
@FunctionalInterface
public interface ResolverProvider {
    /** The resolvers to add; no name may be taken. */
    List<Resolver> resolvers(ResolverContext context);
}
