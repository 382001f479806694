package dev.stagesim.io.gzip;

import dev.stagesim.io.background.Unchecked;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Reads files that belong to the product. */
public final class Resources {
    private Resources() {}

    /** Returns the text of a resource in the package of {@code owner}. */
    public static String text(Class<?> owner, String name) {
        return Unchecked.get(() -> {
            try (InputStream in = Objects.requireNonNull(owner.getResourceAsStream(name), name)) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        });
    }
}
