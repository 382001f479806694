package dev.stagesim.stage.vidursim;

import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.serving.tables.TokenSpread;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.stats.LogHistogram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Counts inter-token times during the simulation, and writes {@code token_times.csv} at the end. */
final class TokenTimesWriter implements ServingRecorder {
    private final BatchWindow window;
    private final LogHistogram between = new LogHistogram();

    TokenTimesWriter(BatchWindow window) {
        this.window = window;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.LATENCIES);
    }

    @Override
    public void tokenGaps(double since, int count, double time) {
        if (window.open()) {
            between.add(RoundedNanos.of(time) - RoundedNanos.of(since), count);
        }
    }

    void write(Path folder, RequestStates states, RequestTimes times) throws IOException {
        LogHistogram first = new LogHistogram();
        for (int request = 0; request < states.size(); request++) {
            if (states.emittedTokens(request) > 0 && !window.isExcluded(request)) {
                first.add(times.timeToFirstToken(request));
            }
        }
        new TokenSpread(first, between).write(folder.resolve(SimulationTables.TOKEN_TIMES.name()));
    }
}
