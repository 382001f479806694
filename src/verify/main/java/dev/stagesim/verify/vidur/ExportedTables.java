package dev.stagesim.verify.vidur;

import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the exported prediction tables of a corpus; each is read once and a few are kept. */
final class ExportedTables {
    private static final int KEPT = 12;

    private final Path root;
    private final Map<String, OperatorTimes> loaded = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, OperatorTimes> eldest) {
            return size() > KEPT;
        }
    };

    ExportedTables(Path root) {
        this.root = root;
    }

    OperatorTimes table(String id, int granularity) throws IOException {
        OperatorTimes known = loaded.get(id);
        if (known == null) {
            known = read(root.resolve(id), granularity);
            loaded.put(id, known);
        }
        return known;
    }

    static OperatorTimes read(Path folder, int granularity) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        return TableTimes.of(granularity, TimesFolder.read(folder));
    }
}
