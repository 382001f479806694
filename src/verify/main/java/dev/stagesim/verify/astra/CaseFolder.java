package dev.stagesim.verify.astra;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.LocatedJson;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A case's input files in a temporary folder with the reference's layout, deleted on close. */
final class CaseFolder implements Closeable {
    private static final List<String> FILES = List.of("network.yml", "system.json", "memory.json", "comm_groups.json");

    private final Path path;

    private CaseFolder(Path path) {
        this.path = path;
    }

    static CaseFolder of(Path source, LocatedJson recorded) throws IOException {
        CaseFolder folder = new CaseFolder(Files.createTempDirectory("stagesim-astra"));
        try {
            folder.copy(source, recorded);
        } catch (IOException | RuntimeException e) {
            folder.close();
            throw e;
        }
        return folder;
    }

    Path path() {
        return path;
    }

    private void copy(Path source, LocatedJson recorded) throws IOException {
        List<String> dropped = recorded.has("drop") ? recorded.get("drop").asStrings() : List.of();
        for (String name : FILES) {
            if (Files.exists(source.resolve(name)) && !dropped.contains(name)) {
                Files.copy(source.resolve(name), path.resolve(name));
            }
        }
        Path extraFiles = source.resolve("files");
        if (Files.isDirectory(extraFiles)) {
            for (Path file : Directories.files(extraFiles)) {
                Path to = path.resolve(extraFiles.relativize(file).toString());
                Files.createDirectories(to.getParent());
                Files.copy(file, to);
            }
        }
        Path zip = source.resolve("traces.zip");
        if (Files.exists(zip)) {
            try (FileSystem archive = FileSystems.newFileSystem(zip)) {
                linkTraces(archive.getPath("/"), recorded);
            }
        } else {
            linkTraces(source.resolve("traces"), recorded);
        }
    }

    private void linkTraces(Path traces, LocatedJson recorded) throws IOException {
        for (LocatedJson run : recorded.get("trace_runs").items()) {
            List<LocatedJson> fields = run.items();
            if (fields.get(2).isNull()) {
                continue;
            }
            String name = fields.get(2).asString();
            Path trace = path.resolve("traces-" + name);
            if (!Files.exists(trace)) {
                try (InputStream in = InputFile.open(traces.resolve(name))) {
                    Files.copy(in, trace);
                }
            }
            for (int rank = fields.get(0).asInt(); rank <= fields.get(1).asInt(); rank++) {
                Files.createLink(path.resolve("trace." + rank + ".et"), trace);
            }
        }
    }

    @Override
    public void close() throws IOException {
        Directories.delete(path);
    }
}
