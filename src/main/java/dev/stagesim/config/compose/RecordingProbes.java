package dev.stagesim.config.compose;

import dev.stagesim.config.compose.DirectorySource.Stamp;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Notes the state of every path that a composition asks for, so that its result can be reused while they last. */
final class RecordingProbes implements DirectorySource.Probes {
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
