package dev.stagesim.config.interp;

import dev.stagesim.config.tree.MapNode;
import java.time.ZonedDateTime;
import java.util.Map;

/**
 * Inputs of the built-in resolvers.
 *
 * @param environment environment variables, for {@code oc.env}
 * @param now the instant that {@code now} formats, the same for all jobs of a sweep
 * @param runtime the values of {@code stage:path}: facts about the stage, the job and the choices
 */
public record ResolverContext(Map<String, String> environment, ZonedDateTime now, MapNode runtime) {
    public ResolverContext {
        environment = Map.copyOf(environment);
    }
}
