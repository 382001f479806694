package dev.stagesim.contract;

import static dev.stagesim.contract.JsonField.object;
import static dev.stagesim.contract.JsonField.of;

import dev.stagesim.contract.JsonField.Type;
import java.util.List;

/** The JSON files that every run directory holds. */
public final class JsonArtifacts {
    /** What a finished run is and where it came from. */
    public static final JsonArtifact RUN_META = new JsonArtifact(
            "run_meta.json",
            1,
            "What a run is and where it came from; written last, so that a directory with a valid one is finished.",
            List.of(
                    of("schema_version", Type.INTEGER, "Version of this file's contract."),
                    of("run_id", Type.STRING, "Name of the run: the stage and ten hex digits of its question's digest."),
                    of("run_type", Type.STRING, "Stage that made it."),
                    of("model", Type.STRING, "Full name of the model; null when the run is about none.").orNull(),
                    of("hardware", Type.STRING, "Full name of the accelerator; null when the run is about none.")
                            .orNull(),
                    of("started_at", Type.INSTANT, "When the stage began.").inDigest(false),
                    of("ended_at", Type.INSTANT, "When the stage was done.").inDigest(false),
                    of("git_commit", Type.STRING, "Commit of the product checkout; unknown outside one.")
                            .inDigest(false),
                    of("git_dirty", Type.BOOLEAN, "Whether the checkout had changes; null when unknown.")
                            .orNull()
                            .inDigest(false),
                    of("env", Type.FREE, "Java, operating system and machine it ran on.").inDigest(false),
                    of("params", Type.FREE, "The stage's own settings, files replaced by their digests."),
                    object(
                                    "config",
                                    Type.OBJECT,
                                    "How the settings were composed; the directory config/ reproduces the run.",
                                    List.of(
                                            of("path", Type.STRING, "Directory of the configs; null when unknown.")
                                                    .orNull(),
                                            of("name", Type.STRING, "Primary config; null for none.").orNull(),
                                            of("overrides", Type.STRINGS, "Overrides as typed.")))
                            .inDigest(false),
                    object(
                            "inputs",
                            Type.OBJECTS,
                            "What the run read.",
                            List.of(
                                    of("role", Type.STRING, "What the input is to the stage; file for plain files."),
                                    of("path", Type.STRING, "Where it was.").inDigest(false),
                                    of("run_id", Type.STRING, "Id of the run it is; null for plain files.").orNull(),
                                    of("sha256", Type.SHA256, "Digest of its content."))),
                    object(
                            "outputs",
                            Type.OBJECTS,
                            "What the run wrote, besides this file and config/, sorted by path.",
                            List.of(
                                    of("path", Type.STRING, "Path below the run directory."),
                                    of("sha256", Type.SHA256, "Digest of the file."),
                                    of("rows", Type.INTEGER, "Rows of a table, or lines of a JSON-lines file; else null.")
                                            .orNull())),
                    of("warnings", Type.STRINGS, "What the user should know.").inDigest(false),
                    of("headlines", Type.NUMBERS, "Headline figures by name, unit last in the name."),
                    object(
                                    "checks",
                                    Type.OBJECTS,
                                    "Checks that did not hold.",
                                    List.of(
                                            of("category", Type.STRING, "Kind of check."),
                                            of("where", Type.STRING, "What was checked."),
                                            of("what", Type.STRING, "What was found and expected."),
                                            object(
                                                    "notes",
                                                    Type.OBJECTS,
                                                    "Further lines.",
                                                    List.of(
                                                            of("label", Type.STRING, "Label of the line."),
                                                            of("text", Type.STRING, "Text of the line.")))))
                            .inDigest(false)));

    private JsonArtifacts() {}

    /** All JSON artifacts, in the order of the reference page. */
    public static List<JsonArtifact> all() {
        return List.of(RUN_META);
    }
}
