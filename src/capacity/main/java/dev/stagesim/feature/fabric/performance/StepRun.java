package dev.stagesim.feature.fabric.performance;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.RunInput;
import java.io.IOException;

/**
 * A training step that astra_sim simulated.
 *
 * @param npus number of devices
 * @param stepMs time until the last device finished
 */
public record StepRun(String link, String runId, int npus, double stepMs) {

    public static StepRun read(RunInput run) throws IOException {
        int npus = 0;
        long last = 0;
        try (TableReader reader = TableReader.open(run.file(AstraTables.NPUS.name()), AstraTables.NPUS)) {
            int finish = reader.column("finish_ns");
            while (reader.next()) {
                if (reader.isEmpty(finish)) {
                    throw StageException.input(
                            Problem.artifact(reader.where(), "the step did not finish, so it has no duration")
                                    .hint("let astra_sim run to the end, without simulation.stop_at_ns"));
                }
                last = Math.max(last, reader.longAt(finish));
                npus++;
            }
        }
        return new StepRun(StatedRun.link(run), run.runId(), npus, last / NS_PER_MS);
    }

    /** Returns this step. Throws if its number of devices differs from the workload. */
    public StepRun of(int devices, String workload) {
        if (npus != devices) {
            throw StageException.input(Problem.artifact(
                            "train.dir",
                            runId + " simulates a step on " + npus + " devices, but workload " + workload + " states "
                                    + devices)
                    .hint("simulate the step that the workload states: dp * tp * pp devices"));
        }
        return this;
    }
}
