package dev.stagesim.cli;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Where the product lives; runs go to {@code tmp/} below the working directory.
 *
 * @param dir installation: holds {@code configs/}
 */
record Home(Path dir) {
    /** Reads the installation from {@code -Dstagesim.home}. */
    static Home fromEnvironment() {
        return new Home(Path.of(System.getProperty("stagesim.home", "."))
                .toAbsolutePath()
                .normalize());
    }

    /** The working directory: relative paths of overrides start here, and {@code tmp/} is in it. */
    static Path work() {
        return Path.of("").toAbsolutePath();
    }

    Path configs() {
        return dir.resolve("configs");
    }

    /** A path as the user would type it: relative to the working directory when below it. */
    static String shown(Path path) {
        Path here = work();
        Path full = path.toAbsolutePath().normalize();
        return Objects.toString(full.startsWith(here) && !full.equals(here) ? here.relativize(full) : full);
    }
}
