package dev.stagesim.config.compose;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory in which configs are looked up; earlier roots win.
 *
 * @param provider who added the root ({@code main}, {@code config-dir}, {@code searchpath}), for listings
 * @param dir the directory; one that does not exist holds no configs
 */
public record SearchRoot(String provider, Path dir) {
    /** Spelled out, as in other records that every command compares: what a record makes for it at run time takes long. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SearchRoot its && its.provider.equals(provider) && its.dir.equals(dir);
    }

    @Override
    public int hashCode() {
        return Objects.hash(provider, dir);
    }
}
