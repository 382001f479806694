package dev.stagesim.bench.engine;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The repositories to get files from, in the order they are asked. */
final class Sources {
    /** Environment variable that names a repository. */
    static final String VARIABLE = "STAGESIM_MAVEN_REPOSITORY";

    private static final String CENTRAL = "https://repo.maven.apache.org/maven2";

    private Sources() {}

    /**
     * The one that is named; else the user's local Maven repository, then the mirror of the user's Maven settings or, without
     * one, Maven Central.
     *
     * @param named address or directory that the user gave
     * @param user the user's {@code .m2} directory
     */
    static List<Repository> of(Optional<String> named, Path user) throws IOException {
        if (named.isPresent()) {
            return List.of(of(named.get()));
        }
        List<Repository> all = new ArrayList<>();
        Path local = user.resolve("repository");
        if (Files.isDirectory(local)) {
            all.add(new FolderRepository(local));
        }
        all.add(of(MavenMirror.mirror(user.resolve("settings.xml")).orElse(CENTRAL)));
        return all;
    }

    private static Repository of(String location) {
        if (location.startsWith("http://") || location.startsWith("https://")) {
            return new WebRepository(URI.create(location));
        }
        Path folder = location.startsWith("file:") ? Path.of(URI.create(location)) : Path.of(location);
        if (!Files.isDirectory(folder)) {
            throw StageException.input(
                    Problem.of("usage error", location, "is neither an http or https address nor a directory"));
        }
        return new FolderRepository(folder);
    }

    /** A repository in a directory, such as a local Maven repository or a copy for machines without a network. */
    private record FolderRepository(Path root) implements Repository {
        @Override
        public void fetch(String path, Path part, Listener listener) throws IOException {
            Path file = root.resolve(path);
            if (!Files.isRegularFile(file)) {
                throw new NoSuchFileException(file.toString());
            }
            Files.copy(file, part, StandardCopyOption.REPLACE_EXISTING);
            listener.have(Files.size(part));
        }

        @Override
        public String location() {
            return root.toString();
        }
    }
}
