package dev.stagesim.cli;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which configuration files are read. */
final class ConfigOptions {
    @Option(
            names = {"--config-dir", "-cd"},
            paramLabel = "DIR",
            description = "Search this directory for configs too, after the product's own; may be repeated.")
    private List<Path> dirs = new ArrayList<>();

    @Option(
            names = {"--config-path", "-cp"},
            paramLabel = "DIR",
            description = "Search this directory instead of the product's own configs.")
    private @Nullable Path main;

    @Option(
            names = {"--config-name", "-cn"},
            paramLabel = "NAME",
            description = "Primary config, without extension; the stage's own name unless given.")
    private @Nullable String name;

    /** The options that an earlier command had. */
    static ConfigOptions of(String name, Optional<String> main, List<String> dirs) {
        ConfigOptions options = new ConfigOptions();
        options.name = name;
        options.main = main.map(Path::of).orElse(null);
        options.dirs = new ArrayList<>(dirs.stream().map(Path::of).toList());
        return options;
    }

    /** The directory searched instead of the product's own, if one was given; absolute. */
    Optional<String> mainPath() {
        return Optional.ofNullable(main).map(dir -> dir.toAbsolutePath().toString());
    }

    /** Directories searched besides; absolute. */
    List<String> dirPaths() {
        return dirs.stream().map(dir -> dir.toAbsolutePath().toString()).toList();
    }

    /** The flags that would search the same configs from another directory. */
    List<String> flags() {
        List<String> flags = new ArrayList<>();
        mainPath().ifPresent(dir -> flags.addAll(List.of("--config-path", dir)));
        dirPaths().forEach(dir -> flags.addAll(List.of("--config-dir", dir)));
        if (name != null) {
            flags.addAll(List.of("--config-name", name));
        }
        return flags;
    }

    String nameOr(String fallback) {
        return name == null ? fallback : name.replaceFirst("\\.(conf|json)$", "");
    }

    @Nullable
    String name() {
        return name == null ? null : nameOr(name);
    }

    /** True when directories were given. */
    boolean searchesElsewhere() {
        return main != null || !dirs.isEmpty();
    }

    /** Opens an engine over the product's configs and the directories asked for. */
    ConfigEngine engine(Home home) {
        List<SearchRoot> roots = new ArrayList<>();
        roots.add(new SearchRoot("main", existing("--config-path", main == null ? home.configs() : main)));
        dirs.forEach(dir -> roots.add(new SearchRoot("config-dir", existing("--config-dir", dir))));
        return ConfigEngine.open(roots);
    }

    /** The directories that were given beside the product's configs. */
    List<SearchRoot> extraRoots() {
        return dirs.stream()
                .map(dir -> new SearchRoot("config-dir", existing("--config-dir", dir)))
                .toList();
    }

    /** As {@link #engine}, but without the product's configs when directories are given: for foreign trees. */
    ConfigEngine foreignEngine(Home home) {
        if (main != null || dirs.isEmpty()) {
            return engine(home);
        }
        return ConfigEngine.open(dirs.stream()
                .map(dir -> new SearchRoot("main", existing("--config-dir", dir)))
                .toList());
    }

    private static Path existing(String flag, Path dir) {
        if (!Files.isDirectory(dir)) {
            throw StageException.input(
                    Problem.usage(flag + " " + dir, "expected a directory that exists and is readable"));
        }
        return dir;
    }
}
