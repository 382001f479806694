package dev.stagesim.contract;

/** The JSON files of run directories that no record declares; a figure without a value is null. */
public final class JsonArtifacts {
    public static final JsonArtifact RUN_META = JsonArtifact.of(
            """
            run_meta.json 2 | What a run is and where it came from; written last, so that a directory with a valid
                    one is finished.
            schema_version | integer | Version of this file's contract.
            run_id | string | Name of the run: the stage and ten hex digits of its question's digest.
            run_type | string | Stage that made it.
            model | string? | Full name of the model; null when the run is about none.
            hardware | string? | Full name of the accelerator; null when the run is about none.
            started_at | instant volatile | When the stage began.
            ended_at | instant volatile | When the stage was done.
            git_commit | string volatile | Commit of the product checkout; unknown outside one.
            git_dirty | boolean? volatile | Whether the checkout had changes; null when unknown.
            env | free volatile | Java, operating system and machine it ran on.
            params | free | The stage's own settings, files replaced by their digests.
            config | object volatile | How the settings were composed; the directory config/ reproduces the run.
              path | string? | Directory of the configs; null when unknown.
              name | string? | Primary config; null for none.
              overrides | strings | Overrides as typed.
            inputs | objects | What the run read.
              role | string | What the input is to the stage; file for plain files.
              path | string volatile | Where it was.
              run_id | string? | Id of the run it is; null for plain files.
              sha256 | sha256 | Digest of its content.
            outputs | objects | What the run wrote, besides this file and config/, sorted by path.
              path | string | Path below the run directory.
              sha256 | sha256 | Digest of the file.
              rows | integer? | Rows of a table, or lines of a JSON-lines file; else null.
            warnings | objects volatile | What the user should know: warnings of the runs it was made from, then its
                    own.
              stage | string | Stage that gave the warning.
              message | string | Text of the warning.
            headlines | numbers | Headline figures by name, unit last in the name.
            checks | objects volatile | Checks that did not hold.
              category | string | Kind of check.
              where | string | What was checked.
              what | string | What was found and expected.
              notes | objects | Further lines.
                label | string | Label of the line.
                text | string | Text of the line.
            """);

    private JsonArtifacts() {}
}
