package dev.stagesim.contract;

/** JSON files of run directories that no record declares. A missing value is null. */
public final class JsonArtifacts {
    public static final JsonArtifact RUN_META = JsonArtifact.of(
            """
            run_meta.json 2 | Identity and origin of a run; written last, so that a directory with a valid file is
                    complete.
            schema_version | integer | Version of this file's contract.
            run_id | string | Name of the run: the stage and ten hex digits of the digest of its configuration.
            run_type | string | Stage of the run.
            model | string? | Full name of the model; null if the run has none.
            hardware | string? | Full name of the accelerator; null if the run has none.
            started_at | instant volatile | Start time.
            ended_at | instant volatile | End time.
            git_commit | string volatile | Commit of the product checkout; unknown outside one.
            git_dirty | boolean? volatile | Whether the checkout had changes; null if unknown.
            env | free volatile | Java, operating system and machine.
            params | free | Settings of the stage; files are replaced by their digests.
            config | object volatile | Composition of the settings; the directory config/ reproduces the run.
              path | string? | Directory of the configs; null if unknown.
              name | string? | Primary config, or null.
              overrides | strings | Overrides as entered.
            inputs | objects | Inputs of the run.
              role | string | Role of the input; file for plain files.
              path | string volatile | Path of the input.
              run_id | string? | Run id; null for plain files.
              sha256 | sha256 | Digest of its content.
            outputs | objects | Files of the run except this one and config/, sorted by path.
              path | string | Path below the run directory.
              sha256 | sha256 | Digest of the file.
              rows | integer? | Rows of a table, or lines of a JSON-lines file; otherwise null.
            warnings | objects volatile | Warnings of its upstream runs, followed by its own.
              stage | string | Stage that issued the warning.
              message | string | Text of the warning.
            headlines | numbers | Headline metrics by name, unit last.
            checks | objects volatile | Failed checks.
              category | string | Kind of check.
              where | string | Checked item.
              what | string | Found and expected value.
              notes | objects | Additional lines.
                label | string | Label of the line.
                text | string | Text of the line.
            """);

    private JsonArtifacts() {}
}
