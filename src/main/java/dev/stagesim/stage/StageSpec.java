package dev.stagesim.stage;

import dev.stagesim.contract.TableSchema;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a stage is, for registry, help, reference pages and run directories.
 *
 * @param name command name and folder under {@code tmp/}, for example {@code vidur_sim}
 * @param doc one sentence for help
 * @param settings record that its configuration binds to
 * @param schemas its {@link #tables}, which are read when a run needs them
 * @param version raised whenever the stage's own results change for the same input
 * @param measuring true when results depend on the machine it runs on
 */
public record StageSpec<S extends Record>(
        String name,
        String doc,
        Class<S> settings,
        Supplier<List<TableSchema>> schemas,
        int version,
        boolean measuring) {
    /** CSV artifacts it may write; their versions are part of the run id. */
    public List<TableSchema> tables() {
        return schemas.get();
    }
}
