package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.replica.ServingRecorder.Signal;
import java.util.Arrays;

/** The recorders of a simulation, grouped by the signals that they receive. */
public final class RecorderSet {
    public ServingRecorder[] all;
    ServingRecorder[] tokens;
    ServingRecorder[] latencies;
    public ServingRecorder[] events;
    ServingRecorder[] formed;
    public ServingRecorder[] started;
    public ServingRecorder[] stageEnded;
    ServingRecorder[] ended;
    ServingRecorder[] blocks;
    ServingRecorder[] queue;
    public ServingRecorder[] admission;
    ServingRecorder[] cache;

    /** True if any recorder reads the state of requests while they decode. */
    public boolean readRequests;

    public RecorderSet(ServingRecorder... recorders) {
        all = recorders.clone();
        sort();
    }

    /** Removes the recorders that are done. */
    public void forgetDone() {
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
        readRequests = tokens.length > 0;
    }

    public void arrived(int request, double time) {
        for (ServingRecorder recorder : all) {
            recorder.requestArrived(request, time);
        }
    }

    void completed(int request, double time, RequestStates states) {
        for (ServingRecorder recorder : all) {
            recorder.requestCompleted(request, time, states);
        }
    }

    /** Reports that the states of all requests before {@code end} are final. */
    public void settled(int end, RequestStates states) {
        for (ServingRecorder recorder : all) {
            recorder.requestsSettled(end, states);
        }
    }

    public void batchScheduled(Batch batch, double time) {
        for (ServingRecorder recorder : formed) {
            recorder.batchScheduled(batch, time);
        }
    }

    public void batchEnded(Batch batch, double time, RequestStates states) {
        for (ServingRecorder recorder : ended) {
            recorder.batchEnded(batch, time, states);
        }
    }

    /**
     * Reports {@code count} output tokens with equal times since the previous tokens of their requests.
     *
     * @param seconds this time, as the reference computes it
     * @param since end of the step with the previous tokens
     */
    public void gaps(double seconds, double since, int count, double time) {
        for (ServingRecorder recorder : latencies) {
            recorder.decodeLatencies(seconds, count, time);
            recorder.tokenGaps(since, count, time);
        }
    }

    /** Reports that a request lost its memory and restarts. */
    public void restarted(int request, double time) {
        for (ServingRecorder recorder : all) {
            recorder.requestRestarted(request, time);
        }
    }

    /** Reports that a request was withdrawn. */
    public void withdrawn(int request, double time) {
        for (ServingRecorder recorder : all) {
            recorder.requestWithdrawn(request, time);
        }
    }

    /** Samples the memory and the queue of a replica. */
    public void sampleMemory(int replica, BatchPolicy policy, double time) {
        sampleMemory(replica, policy, policy.allocatedBlocks(), time);
    }

    /** Overload for a number of blocks in use before the last change. */
    public void sampleMemory(int replica, BatchPolicy policy, long allocated, double time) {
        for (ServingRecorder recorder : blocks) {
            recorder.memorySample(replica, time, allocated, policy.totalBlocks());
        }
        for (ServingRecorder recorder : queue) {
            recorder.queueSample(replica, time, policy.waitingCount());
        }
    }

    /** Samples the limit that blocks the admission of a replica. */
    public void sampleAdmission(int replica, BatchPolicy policy, double time) {
        for (ServingRecorder recorder : admission) {
            recorder.admissionSample(replica, time, policy.limit());
        }
    }

    /** Selects the recorders that receive any of the signals. */
    private ServingRecorder[] wanting(Signal... any) {
        return Arrays.stream(all)
                .filter(r -> Arrays.stream(any).anyMatch(r.signals()::contains))
                .toArray(ServingRecorder[]::new);
    }
}
