package dev.stagesim.verify.training;

import dev.stagesim.io.training.PeerArguments;
import dev.stagesim.sim.training.peer.LlmAnalysis;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The training analysis of llm-analysis. */
public final class LlmAnalysisSuite extends TrainingSuite {
    public LlmAnalysisSuite() {
        super("training-llm-analysis", "Training analyses of llm-analysis: every figure to 1e-9 relative");
    }

    @Override
    void replay(Path folder, Expectation expected) throws IOException {
        String outcome = "";
        try {
            Map<String, Object> summary = LlmAnalysis.run(PeerArguments.llmAnalysis(read(folder, "case.json")));
            if (expected.refusal().isEmpty()) {
                expected.members(expected.recorded().get("summary"), summary);
            }
        } catch (LlmAnalysis.Rejected rejected) {
            outcome = "rejected";
        }
        expected.same("/kind", expected.refusal(), outcome);
    }
}
