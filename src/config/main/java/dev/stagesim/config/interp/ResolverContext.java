package dev.stagesim.config.interp;

import dev.stagesim.config.tree.MapNode;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Inputs of the built-in resolvers.
 *
 * @param environment environment variables, for {@code oc.env}
 * @param now the time that {@code now} formats, the same for all jobs of a sweep; requested only by {@code now}, because
 *     Java reads all time zones to find the local one
 * @param runtime the values of {@code stage:path}: facts about the stage, the job and the choices
 */
public record ResolverContext(Map<String, String> environment, Supplier<ZonedDateTime> now, MapNode runtime) {
    public ResolverContext {
        environment = Map.copyOf(environment);
    }

    /** Creates the inputs with a fixed time. */
    public ResolverContext(Map<String, String> environment, ZonedDateTime now, MapNode runtime) {
        this(environment, () -> now, runtime);
    }

    /** Returns the inputs of a process that started its work at {@code now}. */
    public static ResolverContext local(Instant now, MapNode runtime) {
        return new ResolverContext(System.getenv(), () -> now.atZone(ZoneId.systemDefault()), runtime);
    }
}
