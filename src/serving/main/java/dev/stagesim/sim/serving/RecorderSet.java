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

    /** Reports that a request lost its memory and starts again. */
    void restarted(int request, double time) {
        for (ServingRecorder recorder : all) {
            recorder.requestRestarted(request, time);
        }
    }

    /** Reports that a request was withdrawn. */
    void withdrawn(int request, double time) {
        for (ServingRecorder recorder : all) {
            recorder.requestWithdrawn(request, time);
        }
    }

    /** Samples the memory and the queue of a replica. */
    void sampleMemory(int replica, BatchPolicy policy, double time) {
        for (ServingRecorder recorder : blocks) {
            recorder.memorySample(replica, time, policy.allocatedBlocks(), policy.totalBlocks());
        }
        for (ServingRecorder recorder : queue) {
            recorder.queueSample(replica, time, policy.waitingCount());
        }
    }

    /** Samples what limits the admission of a replica. */
    void sampleAdmission(int replica, BatchPolicy policy, double time) {
        for (ServingRecorder recorder : admission) {
            recorder.admissionSample(replica, time, policy.limit());
        }
    }

    /** Selects the recorders that want any of the signals. */
    private ServingRecorder[] wanting(Signal... any) {
        return Arrays.stream(all)
                .filter(r -> Arrays.stream(any).anyMatch(r.signals()::contains))
                .toArray(ServingRecorder[]::new);
    }
}
