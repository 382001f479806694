package dev.stagesim.feature.studio;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sweep.SweepFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** User notes on runs. They are stored outside the run directories, so that runs and their digests do not change. */
final class Notes {
    private static final int MAX_TEXT = 10_000;
    private static final int MAX_TAGS = 20;
    private static final int MAX_TAG = 50;

    private final Path file;
    private Map<String, Note> notes;
    private long version;

    /** Tags and text for a run. */
    record Note(List<String> tags, String text) {
        static final Note NONE = new Note(List.of(), "");

        Note {
            tags = List.copyOf(tags);
        }
    }

    /** Reads the notes. An unreadable file causes an input error and is never overwritten. */
    Notes(Path work) throws IOException {
        this.file = work.resolve("tmp").resolve(RunIndex.FOLDER).resolve("notes.json");
        Map<String, Note> kept = new TreeMap<>();
        if (Files.exists(file)) {
            for (Map.Entry<String, LocatedJson> entry :
                    Json.read(file).members().entrySet()) {
                kept.put(entry.getKey(), JsonBinder.OWN.bind(entry.getValue(), Note.class));
            }
        }
        this.notes = Map.copyOf(kept);
    }

    synchronized Note of(String run) {
        return notes.getOrDefault(run, Note.NONE);
    }

    /** Returns all notes by run; the map is replaced when a note changes. */
    synchronized Map<String, Note> all() {
        return notes;
    }

    synchronized long version() {
        return version;
    }

    /** Replaces the note of a run. */
    synchronized void put(String run, Note note) throws IOException {
        Note clean = new Note(
                note.tags().stream()
                        .map(String::strip)
                        .filter(tag -> !tag.isEmpty())
                        .distinct()
                        .toList(),
                note.text().strip());
        boolean tooMuch = clean.text().length() > MAX_TEXT
                || clean.tags().size() > MAX_TAGS
                || clean.tags().stream().anyMatch(tag -> tag.length() > MAX_TAG || tag.matches(".*\\s.*"));
        if (tooMuch) {
            throw StageException.input(Problem.usage(
                    run,
                    "a note has at most " + MAX_TEXT + " characters and " + MAX_TAGS
                            + " tags, each one word of at most " + MAX_TAG));
        }
        Map<String, Note> changed = new TreeMap<>(notes);
        if (clean.equals(Note.NONE)) {
            changed.remove(run);
        } else {
            changed.put(run, clean);
        }
        Map<String, JsonValue> members = new TreeMap<>();
        changed.forEach((name, each) -> members.put(name, RecordJson.write(each)));
        Files.createDirectories(file.getParent());
        SweepFiles.write(file, to -> Json.write(to, JsonValue.of(members)));
        notes = Map.copyOf(changed);
        version++;
    }
}
