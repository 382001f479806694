package dev.stagesim.cli.console;

import java.nio.file.Path;
import java.util.Objects;

/**
 * The installation directory of the product. Runs are in {@code tmp/} below the working directory.
 *
 * @param dir installation directory with {@code configs/}
 */
public record Home(Path dir) {
    /** Reads the directory from {@code -Dstagesim.home}. */
    public static Home fromEnvironment() {
        return new Home(Path.of(System.getProperty("stagesim.home", "."))
                .toAbsolutePath()
                .normalize());
    }

    /** Returns the working directory. Relative paths of overrides start there, and it contains {@code tmp/}. */
    public static Path work() {
        return Path.of("").toAbsolutePath();
    }

    public Path configs() {
        return dir.resolve("configs");
    }

    /** Returns a path as the user would type it: relative if it is below the working directory. */
    public static String shown(Path path) {
        Path here = work();
        Path full = path.toAbsolutePath().normalize();
        return Objects.toString(full.startsWith(here) && !full.equals(here) ? here.relativize(full) : full);
    }
}
