package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.ServingRecorder.Signal;
import java.util.Arrays;

/** The recorders of a simulation, by what they want to hear. */
final class RecorderSet {
    final ServingRecorder[] all;
    final ServingRecorder[] tokens;
    final ServingRecorder[] latencies;
    final ServingRecorder[] events;
    final ServingRecorder[] batches;
    final ServingRecorder[] memory;

    RecorderSet(ServingRecorder... recorders) {
        all = recorders.clone();
        tokens = wanting(Signal.TOKENS);
        latencies = wanting(Signal.LATENCIES);
        events = wanting(Signal.EVENTS);
        batches = wanting(Signal.BATCHES);
        memory = wanting(Signal.MEMORY);
    }

    private ServingRecorder[] wanting(Signal signal) {
        return Arrays.stream(all).filter(r -> r.signals().contains(signal)).toArray(ServingRecorder[]::new);
    }
}
