package dev.stagesim.config.compose.source;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory of configs. Earlier roots take precedence.
 *
 * @param provider the origin of the root ({@code main}, {@code config-dir}, {@code searchpath}), for listings
 * @param dir the directory; a directory that does not exist contains no configs
 */
public record SearchRoot(String provider, Path dir) {
    /**
     * Written by hand because generated record methods are linked at run time, which slows the start of every command.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SearchRoot that && that.provider.equals(provider) && that.dir.equals(dir);
    }

    @Override
    public int hashCode() {
        return Objects.hash(provider, dir);
    }
}
