package dev.stagesim.config.interp;

import java.util.List;

/**
 * Adds resolvers to the built-in resolvers.
 *
 * <p>An implementation has a public constructor without parameters. Its jar names it in {@code
 * META-INF/services/dev.stagesim.config.interp.ResolverProvider}.
 */
@FunctionalInterface
interface ResolverProvider {
    /** Returns the resolvers to add. Their names must be unused. */
    List<Resolver> resolvers(ResolverContext context);
}
