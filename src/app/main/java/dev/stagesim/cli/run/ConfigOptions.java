package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.OptionBinding;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
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

/** The options that select the configuration files. */
public final class ConfigOptions {
    private final OptionBinding<List<Path>> dirs = OptionBinding.paths(
            "DIR",
            "Search this directory for configs too, after the product's own; may be repeated.",
            "--config-dir",
            "-cd");
    private final OptionBinding<Path> main = OptionBinding.of(
            Path.class, "DIR", "Search this directory instead of the product's own configs.", "--config-path", "-cp");
    private final OptionBinding<String> name = OptionBinding.of(
            String.class,
            "NAME",
            "Primary config, without extension. The default is the name of the stage.",
            "--config-name",
            "-cn");

    public CommandSpec spec() {
        return OptionBinding.mixin(dirs, main, name);
    }

    /** Returns the options of an earlier command. */
    static ConfigOptions of(String name, Optional<String> main, List<String> dirs) {
        ConfigOptions options = new ConfigOptions();
        options.name.set(name);
        main.map(Path::of).ifPresent(options.main::set);
        options.dirs.set(dirs.stream().map(Path::of).toList());
        return options;
    }

    /** Returns the absolute directory that replaces the product's configs, if given. */
    Optional<String> mainPath() {
        return Optional.ofNullable(main.orNull())
                .map(dir -> dir.toAbsolutePath().toString());
    }

    /** Returns the additional directories, absolute. */
    List<String> dirPaths() {
        return dirs().stream().map(dir -> dir.toAbsolutePath().toString()).toList();
    }

    /** Returns flags that select the same configs from any working directory. */
    List<String> flags() {
        List<String> flags = new ArrayList<>();
        mainPath().ifPresent(dir -> flags.addAll(List.of("--config-path", dir)));
        dirPaths().forEach(dir -> flags.addAll(List.of("--config-dir", dir)));
        if (name.given()) {
            flags.addAll(List.of("--config-name", name.value()));
        }
        return flags;
    }

    public String nameOr(String fallback) {
        String given = name();
        return given == null ? fallback : given;
    }

    @Nullable
    public String name() {
        String given = name.orNull();
        return given == null ? null : given.replaceFirst("\\.(conf|json)$", "");
    }

    /** True if directories were given. */
    boolean searchesElsewhere() {
        return main.given() || !dirs().isEmpty();
    }

    /** Creates an engine over the product's configs and the given directories. */
    public ConfigEngine engine(Home home) {
        List<SearchRoot> roots = new ArrayList<>();
        roots.add(new SearchRoot("main", existing("--config-path", main.given() ? main.value() : home.configs())));
        dirs().forEach(dir -> roots.add(new SearchRoot("config-dir", existing("--config-dir", dir))));
        return ConfigEngine.open(roots);
    }

    /** Returns the directories that were given in addition to the product's configs. */
    List<SearchRoot> extraRoots() {
        return dirs().stream()
                .map(dir -> new SearchRoot("config-dir", existing("--config-dir", dir)))
                .toList();
    }

    /**
     * Like {@link #engine}, but without the product's configs if directories are given. For trees of other programs.
     */
    public ConfigEngine foreignEngine(Home home) {
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
