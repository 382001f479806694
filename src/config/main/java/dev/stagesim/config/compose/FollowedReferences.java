package dev.stagesim.config.compose;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Paths;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** References in the trees that overrides change. */
final class FollowedReferences {
    private FollowedReferences() {}

    /** Returns the interpolator of a tree that is not complete. */
    static Interpolator interpolator(MapNode tree, Dialect dialect) {
        ResolverContext context =
                new ResolverContext(System.getenv(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty());
        return Interpolator.of(tree, Resolvers.standard(context), dialect);
    }

    /**
     * Returns an override whose path leads through a reference with the path of the section that it refers to, which it
     * changes since Hydra 1.4; other overrides stay as they are.
     */
    static ConfigOverride of(MapNode tree, ConfigOverride override) {
        List<String> path = override.path();
        Interpolator interpolator = interpolator(tree, Dialect.HYDRA_1_4);
        boolean isAppend = override.type() == ConfigOverride.Type.APPEND;
        for (int length = path.size() - (isAppend ? 0 : 1); length > 0; length--) {
            List<String> start = path.subList(0, length);
            Optional<String> section =
                    interpolator.section(Paths.escaped(start)).filter(found -> !found.equals(Paths.dotted(start)));
            if (section.isPresent()) {
                List<String> followed = Paths.join(Paths.split(section.get()), path.subList(length, path.size()));
                return new ConfigOverride(
                        override.type(),
                        Paths.escaped(followed),
                        override.pkg(),
                        override.value(),
                        override.input(),
                        override.position());
            }
        }
        return override;
    }
}
