package dev.stagesim.stage;

import dev.stagesim.contract.TableSchema;
import java.util.List;
import java.util.function.Supplier;

/**
 * Description of a stage, for registry, help, reference pages and run directories.
 *
 * @param name command name and folder under {@code tmp/}, for example {@code vidur_sim}
 * @param doc one sentence for help
 * @param settings settings record
 * @param schemas supplier of the {@link #tables}
 * @param version incremented when results change for the same input
 * @param measuring whether results depend on the machine
 */
public record StageSpec<S extends Record>(
        String name,
        String doc,
        Class<S> settings,
        Supplier<List<TableSchema>> schemas,
        int version,
        boolean measuring) {
    /** Returns the CSV artifacts of the stage; their versions are part of the run id. */
    public List<TableSchema> tables() {
        return schemas.get();
    }
}
