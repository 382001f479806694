package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.ServingRecorder.Signal;
import java.util.Arrays;

/** The recorders of a simulation, by what they want to hear. */
final class RecorderSet {
    ServingRecorder[] all;
    ServingRecorder[] tokens;
    ServingRecorder[] latencies;
    ServingRecorder[] events;
    ServingRecorder[] formed;
    ServingRecorder[] started;
    ServingRecorder[] stageEnded;
    ServingRecorder[] ended;
    ServingRecorder[] blocks;
    ServingRecorder[] queue;
    ServingRecorder[] admission;
    ServingRecorder[] cache;

    /** Whether any reads the accounts of requests while these decode. */
    boolean readRequests;

    RecorderSet(ServingRecorder... recorders) {
        all = recorders.clone();
        sort();
    }

    /** Leaves out those that are done. */
    void forgetDone() {
        for (ServingRecorder recorder : all) {
            if (recorder.isDone()) {
                all = Arrays.stream(all).filter(r -> !r.isDone()).toArray(ServingRecorder[]::new);
                sort();
                return;
            }
        }
    }

    private void sort() {
        tokens = wanting(Signal.TOKENS);
        latencies = wanting(Signal.LATENCIES);
        events = wanting(Signal.EVENTS);
        formed = wanting(Signal.BATCHES, Signal.BATCH_FORMED);
        started = wanting(Signal.BATCHES, Signal.STAGE_STARTED);
        stageEnded = wanting(Signal.BATCHES, Signal.STAGE_ENDED);
        ended = wanting(Signal.BATCHES, Signal.BATCH_ENDED);
        blocks = wanting(Signal.MEMORY, Signal.BLOCKS);
        queue = wanting(Signal.MEMORY, Signal.QUEUE);
        admission = wanting(Signal.MEMORY, Signal.ADMISSION);
        cache = wanting(Signal.MEMORY);
        readRequests = tokens.length > 0 || Arrays.stream(all).anyMatch(ServingRecorder::readsRequests);
    }

    /** Those that ask for any of some signals. */
    private ServingRecorder[] wanting(Signal... any) {
        return Arrays.stream(all)
                .filter(r -> Arrays.stream(any).anyMatch(r.signals()::contains))
                .toArray(ServingRecorder[]::new);
    }
}
