package dev.stagesim.bench.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A repository in a directory, such as a local Maven repository or a copy for machines without a network. */
record FolderRepository(Path root) implements Repository {
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
