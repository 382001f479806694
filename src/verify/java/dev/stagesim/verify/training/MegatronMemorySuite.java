package dev.stagesim.verify.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.training.PeerArguments;
import dev.stagesim.sim.training.peer.MegatronMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The theoretical memory report of Megatron-LM. */
public final class MegatronMemorySuite extends TrainingSuite {
    public MegatronMemorySuite() {
        super(
                "training-megatron-memory",
                "Theoretical memory of Megatron-LM: figures to 1e-9 relative, printed lines exactly");
    }

    @Override
    void replay(Path folder, Expectation expected) throws IOException {
        JsonAt recorded = expected.recorded();
        JsonAt given = read(folder, "case.json");
        OptionalLong batches = given.find("num_microbatches")
                .map(at -> OptionalLong.of(at.asLong()))
                .orElse(OptionalLong.empty());
        MegatronMemory.Report report = MegatronMemory.report(PeerArguments.megatron(given.get("arguments")), batches);
        expected.value("/weight_and_optimizer_mib", recorded.get("weight_and_optimizer_mib"), report.statesMib());
        expected.value("/activation_mib", recorded.get("activation_mib"), report.activationMib());
        expected.value("/total_mib", recorded.get("total_mib"), report.totalMib());
        expected.same(
                "/activation_formula",
                recorded.get("activation_formula").asString(),
                report.usesSequenceFormula() ? "with_sequence_parallelism" : "without_sequence_parallelism");
        expected.same("/report", recorded.get("report").asStrings(), report.lines());
    }
}
