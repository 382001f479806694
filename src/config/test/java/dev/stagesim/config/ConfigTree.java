package dev.stagesim.config;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.compose.source.SearchRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A tree of config files in memory, for tests. */
public final class ConfigTree {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final List<SearchRoot> roots = new ArrayList<>();

    public ConfigTree() {
        root("main");
    }

    /** Adds a search root. */
    public ConfigTree root(String name) {
        roots.add(new SearchRoot(name, path(name)));
        return this;
    }

    /** Writes a file below the root {@code main} with the given lines. */
    public ConfigTree file(String name, String... lines) {
        return write("main/" + name, lines);
    }

    public ConfigTree write(String name, String... lines) {
        try {
            Path file = path(name);
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, String.join("\n", lines) + "\n");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path path(String name) {
        return files.getPath(name);
    }

    public ConfigEngine engine() {
        return engine(name -> Optional.empty());
    }

    /** Returns an engine with the given environment variables. */
    public ConfigEngine engine(Function<String, Optional<String>> environment) {
        return ConfigEngine.open(roots, List.of(), environment);
    }

    public Composition compose(String... overrides) {
        return engine().compose(ComposeRequest.of("config", List.of(overrides)));
    }

    /** Returns the composed tree as canonical text. */
    public String text(String... overrides) {
        return Trees.canonical(compose(overrides).config());
    }
}
