package dev.stagesim.config.compose.source;

import dev.stagesim.config.hocon.ConfigFile;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All config sources of one search path. The first source with a config wins. */
public final class Repository {
    private static final List<String> OPTIONAL_EXTENSIONS = List.of(".conf", ".json", ".yaml");

    private final List<ConfigSource> sources;
    /** Contents of directories, cached so that several errors list a directory once. */
    private final Map<String, List<String>> optionsOf = new HashMap<>();

    private final Map<String, List<String>> subgroupsOf = new HashMap<>();

    public Repository(List<ConfigSource> sources) {
        this.sources = List.copyOf(sources);
    }

    public Optional<ConfigFile> load(String path) {
        String plain = plain(path);
        if (plain == null) {
            return Optional.empty();
        }
        for (ConfigSource source : sources) {
            Optional<ConfigFile> found = source.load(plain);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Returns the YAML file with this config path, or empty if there is none. */
    public Optional<String> yaml(String path) {
        String plain = plain(path);
        for (SearchRoot root : plain == null ? List.<SearchRoot>of() : roots()) {
            for (String extension : List.of(".yaml", ".yml")) {
                try {
                    Path file = root.dir().resolve(plain + extension);
                    if (Files.isRegularFile(file)) {
                        return Optional.of(file.toString());
                    }
                } catch (InvalidPathException impossible) {
                    // such a file cannot exist
                }
            }
        }
        return Optional.empty();
    }

    public boolean isGroup(String group) {
        String plain = normalised(group);
        return plain != null && !plain.isEmpty() && sources.stream().anyMatch(source -> source.isGroup(plain));
    }

    /** Returns the options directly inside {@code group}, sorted. */
    public List<String> options(String group) {
        String plain = normalised(group);
        return plain == null
                ? List.of()
                : optionsOf.computeIfAbsent(plain, name -> sorted(source -> source.options(name)));
    }

    /** Returns the groups directly inside {@code group}, sorted; the empty path is the root. */
    public List<String> subgroups(String group) {
        return subgroupsOf.computeIfAbsent(group, name -> sorted(source -> source.subgroups(name)));
    }

    private List<String> sorted(Function<ConfigSource, List<String>> names) {
        return sources.stream()
                .flatMap(source -> names.apply(source).stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** Returns all groups, sorted. */
    public List<String> groups() {
        TreeSet<String> all = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(subgroups(""));
        while (!open.isEmpty()) {
            String group = open.pop();
            if (all.add(group)) {
                subgroups(group).forEach(name -> open.push(group + "/" + name));
            }
        }
        return List.copyOf(all);
    }

    /** Returns the options inside a group and its subgroups, sorted, as paths relative to the group. */
    public List<String> optionsBelow(String group) {
        List<String> all = new ArrayList<>(options(group));
        for (String name : subgroups(group)) {
            optionsBelow(group.isEmpty() ? name : group + "/" + name).forEach(option -> all.add(name + "/" + option));
        }
        all.sort(String::compareTo);
        return all;
    }

    public List<SearchRoot> roots() {
        return sources.stream().map(ConfigSource::root).toList();
    }

    /** Returns the path without an extension that users may write, or null if the path leaves the roots. */
    private static @Nullable String plain(String path) {
        for (String extension : OPTIONAL_EXTENSIONS) {
            if (path.endsWith(extension)) {
                return normalised(path.substring(0, path.length() - extension.length()));
            }
        }
        return path.endsWith("/") ? null : normalised(path);
    }

    /** Returns the path without empty segments, {@code .} and {@code ..}, or null if the path leaves the roots. */
    private static @Nullable String normalised(String path) {
        List<String> parts = new ArrayList<>();
        for (String part : path.split("/", -1)) {
            if (part.equals("..")) {
                if (parts.isEmpty()) {
                    return null;
                }
                parts.remove(parts.size() - 1);
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }
}
