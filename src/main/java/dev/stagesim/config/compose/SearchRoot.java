package dev.stagesim.config.compose;

import java.nio.file.Path;

/**
 * A directory in which configs are looked up; earlier roots win.
 *
 * @param provider who added the root ({@code main}, {@code config-dir}, {@code searchpath}), for listings
 * @param dir the directory; one that does not exist holds no configs
 */
public record SearchRoot(String provider, Path dir) {}
