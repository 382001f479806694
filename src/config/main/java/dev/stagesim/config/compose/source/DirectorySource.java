package dev.stagesim.config.compose.source;

import dev.stagesim.config.hocon.ConfigFile;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Configs in the files below a directory. A parsed file is cached while its modification time and size stay the same.
 */
public final class DirectorySource implements ConfigSource {
    private static final List<String> EXTENSIONS = List.of(".conf", ".json");

    /** The file attributes that identify one version of a file. */
    public record Stamp(FileTime modified, long size, boolean directory) {
        /**
         * Written by hand because generated record methods are linked at run time, which slows the start of every
         * command.
         */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Stamp that
                    && that.size == size
                    && that.directory == directory
                    && that.modified.equals(modified);
        }

        @Override
        public int hashCode() {
            return Objects.hash(modified, size, directory);
        }
    }

    private record Parsed(Stamp stamp, ConfigFile file) {}

    private final SearchRoot root;
    private final Map<Path, Parsed> cache = new ConcurrentHashMap<>();
    private final Probes probes;

    public DirectorySource(SearchRoot root, Probes probes) {
        this.root = root;
        this.probes = probes;
    }

    @Override
    public Optional<ConfigFile> load(String path) {
        for (String extension : EXTENSIONS) {
            Path file = resolve(path + extension);
            Stamp stamp = file == null ? null : probes.stamp(file);
            if (file != null && stamp != null && !stamp.directory()) {
                Parsed parsed = cache.get(file);
                if (parsed == null || !parsed.stamp().equals(stamp)) {
                    parsed = new Parsed(stamp, ConfigFileReader.read(file, root.dir()));
                    cache.put(file, parsed);
                }
                return Optional.of(parsed.file());
            }
        }
        return Optional.empty();
    }

    @Override
    public boolean isGroup(String group) {
        Path dir = resolve(group);
        Stamp stamp = dir == null ? null : probes.stamp(dir);
        return stamp != null && stamp.directory();
    }

    @Override
    public List<String> options(String group) {
        List<String> names = new ArrayList<>();
        for (String name : list(group, path -> !Files.isDirectory(path))) {
            for (String extension : EXTENSIONS) {
                if (name.endsWith(extension)) {
                    names.add(name.substring(0, name.length() - extension.length()));
                }
            }
        }
        return names;
    }

    @Override
    public List<String> subgroups(String group) {
        return list(group, Files::isDirectory);
    }

    private List<String> list(String group, Predicate<Path> wanted) {
        Path dir = resolve(group);
        if (dir == null || !Files.isDirectory(dir)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(dir)) {
            for (Path entry : entries) {
                Path name = entry.getFileName();
                if (name != null && wanted.test(entry)) {
                    names.add(name.toString().replace("/", ""));
                }
            }
        } catch (IOException unreadable) {
            throw StageException.input(
                    Problem.config(dir.toString(), "cannot list the directory: " + unreadable.getMessage()),
                    unreadable);
        }
        return names;
    }

    /** Returns the path below this root, or null if the file system does not allow such a name. */
    private @Nullable Path resolve(String path) {
        try {
            return path.isEmpty() ? root.dir() : root.dir().resolve(path);
        } catch (InvalidPathException impossible) {
            return null;
        }
    }

    @Override
    public SearchRoot root() {
        return root;
    }

    /** Reads stamps. A composition replaces this interface to record the files that it depends on. */
    public interface Probes {
        /** Returns the stamp of {@code path}, or null if nothing exists there. */
        @Nullable
        Stamp stamp(Path path);

        static @Nullable Stamp read(Path path) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
                boolean directory = attributes.isDirectory();
                // time and size of a directory change with each of its files; only its existence matters
                return directory
                        ? new Stamp(FileTime.fromMillis(0), 0, true)
                        : new Stamp(attributes.lastModifiedTime(), attributes.size(), false);
            } catch (IOException absent) {
                return null;
            }
        }
    }
}
