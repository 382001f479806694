package dev.stagesim.io.times;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Caches trained predictors in one folder per origin. A folder contains {@code times.bin} or {@code forms.json}, and {@code
 * provenance.json} with the origin for the user.
 *
 * <p>A folder appears atomically. A damaged folder counts as absent and is replaced.
 *
 * @param root folder of the cache, which need not exist
 */
public record PredictorCache<T>(Path root, Packing<T> packing) {
    private static final int KEY_DIGITS = 20;

    /** Returns the folder of a predictor with {@code origin}: all inputs of its times, by name. */
    Path folder(Map<String, String> origin) {
        return root.resolve(ProfileDigest.of(text(origin)).substring(0, KEY_DIGITS));
    }

    private static String text(Map<String, String> origin) {
        return new TreeMap<>(origin).toString();
    }

    /** Returns the predictor trained from {@code origin}, or empty if it is absent or damaged. */
    public Optional<T> find(Map<String, String> origin) {
        try {
            return packing.unpack(
                    text(origin), InputFile.rawBytes(folder(origin).resolve(packing.fileName())));
        } catch (IOException | StageException e) {
            return Optional.empty();
        }
    }

    /** Stores a predictor. If another process has stored it first, its folder is kept. */
    public void store(Map<String, String> origin, T trained) throws IOException {
        Path folder = folder(origin);
        Files.createDirectories(root);
        Path partial = Files.createTempDirectory(root, ".partial");
        try {
            Files.write(partial.resolve(packing.fileName()), packing.pack(text(origin), trained));
            Json.write(partial.resolve("provenance.json"), provenance(origin, trained));
            if (find(origin).isEmpty()) {
                delete(folder);
            }
            move(partial, folder, origin);
        } finally {
            delete(partial);
        }
    }

    private void move(Path partial, Path folder, Map<String, String> origin) throws IOException {
        try {
            Files.move(partial, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (find(origin).isEmpty()) {
                throw e;
            }
        }
    }

    private JsonValue provenance(Map<String, String> origin, T trained) {
        JsonObjectBuilder from = JsonValue.object();
        new TreeMap<>(origin).forEach(from::put);
        return JsonValue.object()
                .put("origin", from.build())
                .put("trained", packing.summary(trained))
                .build();
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }
}
