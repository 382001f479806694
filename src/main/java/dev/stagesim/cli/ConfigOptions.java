package dev.stagesim.cli;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The options that say which configuration files are read. */
final class ConfigOptions {
    private final Opt<List<Path>> dirs = Opt.paths(
            "DIR",
            "Search this directory for configs too, after the product's own; may be repeated.",
            "--config-dir",
            "-cd");
    private final Opt<Path> main = Opt.of(
            Path.class, "DIR", "Search this directory instead of the product's own configs.", "--config-path", "-cp");
    private final Opt<String> name = Opt.of(
            String.class,
            "NAME",
            "Primary config, without extension; the stage's own name unless given.",
            "--config-name",
            "-cn");

    CommandSpec spec() {
        return Opt.mixin(dirs, main, name);
    }

    /** The options that an earlier command had. */
    static ConfigOptions of(String name, Optional<String> main, List<String> dirs) {
        ConfigOptions options = new ConfigOptions();
        options.name.set(name);
        main.map(Path::of).ifPresent(options.main::set);
        options.dirs.set(dirs.stream().map(Path::of).toList());
        return options;
    }

    /** The directory searched instead of the product's own, if one was given; absolute. */
    Optional<String> mainPath() {
        return Optional.ofNullable(main.orNull())
                .map(dir -> dir.toAbsolutePath().toString());
    }

    /** Directories searched besides; absolute. */
    List<String> dirPaths() {
        return dirs().stream().map(dir -> dir.toAbsolutePath().toString()).toList();
    }

    /** The flags that would search the same configs from another directory. */
    List<String> flags() {
        List<String> flags = new ArrayList<>();
        mainPath().ifPresent(dir -> flags.addAll(List.of("--config-path", dir)));
        dirPaths().forEach(dir -> flags.addAll(List.of("--config-dir", dir)));
        if (name.given()) {
            flags.addAll(List.of("--config-name", name.value()));
        }
        return flags;
    }

    String nameOr(String fallback) {
        String given = name();
        return given == null ? fallback : given;
    }

    @Nullable
    String name() {
        String given = name.orNull();
        return given == null ? null : given.replaceFirst("\\.(conf|json)$", "");
    }

    /** True when directories were given. */
    boolean searchesElsewhere() {
        return main.given() || !dirs().isEmpty();
    }

    /** Opens an engine over the product's configs and the directories asked for. */
    ConfigEngine engine(Home home) {
        List<SearchRoot> roots = new ArrayList<>();
        roots.add(new SearchRoot("main", existing("--config-path", main.given() ? main.value() : home.configs())));
        dirs().forEach(dir -> roots.add(new SearchRoot("config-dir", existing("--config-dir", dir))));
        return ConfigEngine.open(roots);
    }

    /** The directories that were given beside the product's configs. */
    List<SearchRoot> extraRoots() {
        return dirs().stream()
                .map(dir -> new SearchRoot("config-dir", existing("--config-dir", dir)))
                .toList();
    }

    /** As {@link #engine}, but without the product's configs when directories are given: for foreign trees. */
    ConfigEngine foreignEngine(Home home) {
        if (main.given() || dirs().isEmpty()) {
            return engine(home);
        }
        return ConfigEngine.open(dirs().stream()
                .map(dir -> new SearchRoot("main", existing("--config-dir", dir)))
                .toList());
    }

    private List<Path> dirs() {
        return Objects.requireNonNullElse(dirs.orNull(), List.of());
    }

    private static Path existing(String flag, Path dir) {
        if (!Files.isDirectory(dir)) {
            throw StageException.input(
                    Problem.usage(flag + " " + dir, "expected a directory that exists and is readable"));
        }
        return dir;
    }
}
