package dev.stagesim.stage.trainplan;

import dev.stagesim.io.astra.GroupFiles;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.training.Confirmation;
import dev.stagesim.sim.training.NetworkConfirmation;
import dev.stagesim.sim.training.NetworkTraces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The winner's pipeline as execution traces that ASTRA-sim reads, durations in microseconds. */
final class TraceFiles {
    private static final long NANOS_PER_MICRO = 1000;

    private TraceFiles() {}

    static void write(Plan plan, Path folder) throws IOException {
        Confirmation confirmed = plan.confirmed().get(0);
        long operations = NetworkTraces.operations(confirmed);
        if (operations > NetworkConfirmation.MOST_OPERATIONS) {
            throw StageException.input(Problem.of(
                    "plan error",
                    "traces",
                    "the winner's pipeline has " + operations + " operations, at most "
                            + NetworkConfirmation.MOST_OPERATIONS + " are written"));
        }
        List<List<EtNode>> traces = NetworkTraces.traces(
                confirmed, plan.question().model(), plan.question().job());
        for (int npu = 0; npu < traces.size(); npu++) {
            try (EtWriter writer = EtWriter.create(folder.resolve("plan." + npu + ".et"), EtMetadata.EMPTY)) {
                for (EtNode node : traces.get(npu)) {
                    writer.write(node.withDuration((node.durationMicros() + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO));
                }
            }
        }
        Json.write(
                folder.resolve("comm_groups.json"),
                GroupFiles.json(NetworkConfirmation.groups(confirmed.candidate().strategy())));
    }
}
