package dev.stagesim.verify.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.training.PeerArguments;
import dev.stagesim.sim.training.peer.DeepSpeedZero;
import java.io.IOException;
import java.nio.file.Path;

/** The ZeRO estimators of DeepSpeed. */
public final class DeepSpeedSuite extends TrainingSuite {
    public DeepSpeedSuite() {
        super("training-deepspeed", "ZeRO estimates of DeepSpeed, every byte");
    }

    @Override
    void replay(Path folder, Expectation expected) throws IOException {
        JsonAt given = read(folder, "case.json");
        int stage = given.get("stage").asInt();
        DeepSpeedZero.Need need = PeerArguments.deepSpeed(stage, given.get("arguments"));
        expected.same("/gpu_bytes", expected.recorded().get("gpu_bytes").asLong(), need.device());
        expected.same("/cpu_bytes", expected.recorded().get("cpu_bytes").asLong(), need.host());
        if (stage == 3) {
            expected.same(
                    "/largest_layer_bytes",
                    expected.recorded().get("largest_layer_bytes").asLong(),
                    need.largestLayer());
        }
    }
}
