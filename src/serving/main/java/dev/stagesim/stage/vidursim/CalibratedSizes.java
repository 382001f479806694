package dev.stagesim.stage.vidursim;

import dev.stagesim.serving.CalibrationDocument;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Compares the sizes of a simulation with the sizes in the calibration of its bundle. */
final class CalibratedSizes implements ServingRecorder {
    private final CalibrationDocument.Sizes fitted;
    private int maxRequests;

    CalibratedSizes(CalibrationDocument.Sizes fitted) {
        this.fitted = fitted;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.STAGE_ENDED);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        maxRequests = Math.max(maxRequests, batch.size);
    }

    /** Returns descriptions of sizes beyond the calibration. */
    List<String> beyond(int longest) {
        List<String> beyond = new ArrayList<>();
        if (maxRequests > fitted.requestsPerStep()) {
            beyond.add("steps of up to " + maxRequests + " requests, but the calibration was fitted to at most "
                    + fitted.requestsPerStep());
        }
        if (longest > fitted.tokensPerRequest()) {
            beyond.add("requests of up to " + longest + " tokens, but the calibration was fitted to at most "
                    + fitted.tokensPerRequest());
        }
        return beyond;
    }
}
