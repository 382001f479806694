package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.metrics.LatencySketch;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Records all values of a case's expected files, in their columns. */
final class CaseRecorder implements ServingRecorder {
    final BatchTables batches = new BatchTables();
    final ActualTable stages = new ActualTable(
            "batch_id",
            "replica_id",
            "stage_id",
            "scheduled_at",
            "completed_at",
            "execution_time",
            "model_execution_time",
            "size",
            "num_tokens");
    final ActualTable assignment = new ActualTable("request_id", "replica_id");
    final ActualTable eventLog = new ActualTable(
            "time", "event_id", "type", "replica_id", "stage_id", "batch_id", "request_id", "created_event_ids");
    final ActualTable prefillSeries = new ActualTable("Time (sec)", "prefill_completion");
    final ActualTable decodeSeries = new ActualTable("Time (sec)", "decode_completion");
    final StageTrace trace = new StageTrace();
    final LatencySketch tokenLatency = new LatencySketch();
    final LatencySketch batchTime = new LatencySketch();
    final double[] interArrival;

    /** Requests that arrived. In an unsorted trace with a time limit these are not the first ones. */
    final boolean[] arrived;

    private final boolean logEvents;
    private final int[] replicaOf;
    private double lastArrival = Double.NaN;
    private long prefillTokens;
    private long decodeTokens;

    CaseRecorder(int requests, boolean logEvents) {
        this.logEvents = logEvents;
        this.replicaOf = new int[requests];
        this.interArrival = new double[requests];
        this.arrived = new boolean[requests];
        Arrays.fill(replicaOf, -1);
    }

    @Override
    public Set<Signal> signals() {
        return logEvents ? EnumSet.allOf(Signal.class) : EnumSet.complementOf(EnumSet.of(Signal.EVENTS));
    }

    @Override
    public void requestArrived(int request, double time) {
        arrived[request] = true;
        interArrival[request] = time - lastArrival;
        lastArrival = time;
    }

    @Override
    public void requestAssigned(int request, int replica, double time) {
        replicaOf[request] = replica;
    }

    /** Completes the assignment table, in order of request; a request that was not placed has no row. */
    void finish() {
        for (int i = 0; i < replicaOf.length; i++) {
            if (replicaOf[i] >= 0) {
                assignment.add(i, replicaOf[i]);
            }
        }
    }

    @Override
    public void prefillCompleted(int tokens, double time) {
        prefillTokens += tokens;
        prefillSeries.add(time, prefillTokens);
    }

    @Override
    public void decodeLatency(double seconds, double time) {
        tokenLatency.add(seconds);
        decodeSeries.add(time, ++decodeTokens);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        batches.scheduled(batch);
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        trace.started(batch, stage, time);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        double start = trace.ended(batch, stage, time, totalSeconds);
        stages.add(
                batch.id, batch.replica, stage, start, time, totalSeconds, modelSeconds, batch.size, batch.totalTokens);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        batches.ended(batch, time);
        batchTime.add(time - batch.scheduledAt);
    }

    @Override
    public void eventHandled(
            double time,
            long id,
            EventType type,
            int replica,
            int stage,
            long batch,
            int request,
            long firstCreated,
            int created) {
        boolean ofReplica = type != EventType.REQUEST_ARRIVAL && type != EventType.GLOBAL_SCHEDULE;
        boolean ofStage = ofReplica && type != EventType.REPLICA_SCHEDULE && type != EventType.BATCH_END;
        eventLog.add(
                time,
                id,
                type.logName(),
                ofReplica ? replica : Double.NaN,
                ofStage ? stage : Double.NaN,
                batch < 0 ? Double.NaN : (double) batch,
                request < 0 ? Double.NaN : request,
                LongStream.range(firstCreated, firstCreated + created)
                        .mapToObj(Long::toString)
                        .collect(Collectors.joining(" ")));
    }

    /** The batches of a case: metrics in order of end, and contents in order of formation. */
    static final class BatchTables {
        final ActualTable metrics = new ActualTable(
                "Batch Id",
                "batch_num_tokens",
                "batch_num_prefill_tokens",
                "batch_num_decode_tokens",
                "batch_size",
                "batch_execution_time");
        final ActualTable composition = new ActualTable("batch_id", "replica_id", "request_ids", "num_tokens");

        void scheduled(Batch batch) {
            composition.add(batch.id, batch.replica, joined(batch, batch.requests), joined(batch, batch.tokens));
        }

        private static String joined(Batch batch, int[] values) {
            return Arrays.stream(values, 0, batch.size)
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(" "));
        }

        void ended(Batch batch, double time) {
            metrics.add(
                    batch.id,
                    batch.totalTokens,
                    batch.prefillTokens,
                    batch.totalTokens - batch.prefillTokens,
                    batch.size,
                    time - batch.scheduledAt);
        }
    }

    /** The Chrome trace of a case, one complete event per stage execution in order of end. */
    static final class StageTrace {
        private record Running(long batch, int stage) {}

        private final Map<Running, Double> starts = new HashMap<>();
        private final List<JsonValue> events = new ArrayList<>();
        private boolean wanted;

        void want() {
            wanted = true;
        }

        void started(Batch batch, int stage, double time) {
            starts.put(new Running(batch.id, stage), time);
        }

        /** Records the end of a stage execution and returns its start time. */
        double ended(Batch batch, int stage, double time, double seconds) {
            if (wanted) {
                events.add(event(batch, stage, time, seconds));
            }
            Double start = starts.remove(new Running(batch.id, stage));
            return start == null ? Double.NaN : start;
        }

        private static JsonValue event(Batch batch, int stage, double time, double seconds) {
            List<JsonValue> requests = new ArrayList<>();
            List<JsonValue> tokens = new ArrayList<>();
            List<Integer> ids = new ArrayList<>();
            for (int i = 0; i < batch.size; i++) {
                ids.add(batch.requests[i]);
                requests.add(JsonValue.of(batch.requests[i]));
                tokens.add(JsonValue.of(batch.tokens[i]));
            }
            JsonValue.Obj args = JsonValue.object()
                    .put("batch_id", batch.id)
                    .put("batch_size", batch.size)
                    .put("request_ids", JsonValue.of(requests))
                    .put("num_tokens", JsonValue.of(tokens))
                    .build();
            return JsonValue.object()
                    .put("name", ids.toString())
                    .put("ph", "X")
                    .put("ts", (time - seconds) * 1e6)
                    .put("dur", seconds * 1e6)
                    .put("pid", batch.replica)
                    .put("tid", stage)
                    .put("args", args)
                    .build();
        }

        JsonValue json() {
            return JsonValue.object().put("traceEvents", JsonValue.of(events)).build();
        }
    }
}
