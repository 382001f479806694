package dev.stagesim.verify.vidur;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.EventType;
import dev.stagesim.sim.serving.LatencySketch;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.EnumSet;
import java.util.Set;
import java.util.StringJoiner;

/** Records everything that a case's expected files may hold, in their columns. */
final class CaseRecorder implements ServingRecorder {
    final BatchTables batches = new BatchTables();
    final OperationTables operations;
    final ActualTable stages = new ActualTable();
    final ActualTable assignment = new ActualTable();
    final ActualTable eventLog = new ActualTable();
    final ActualTable prefillSeries = new ActualTable();
    final ActualTable decodeSeries = new ActualTable();
    final StageTrace trace = new StageTrace();
    final LatencySketch tokenLatency = new LatencySketch();
    final LatencySketch batchTime = new LatencySketch();
    final double[] interArrival;

    private final boolean logEvents;
    private final ActualTable.Numbers[] stageColumns;
    private final ActualTable.Numbers assignedRequest = assignment.numbers("request_id");
    private final ActualTable.Numbers assignedReplica = assignment.numbers("replica_id");
    private final ActualTable.Numbers prefillTime = prefillSeries.numbers("Time (sec)");
    private final ActualTable.Numbers prefillCount = prefillSeries.numbers("prefill_completion");
    private final ActualTable.Numbers decodeTime = decodeSeries.numbers("Time (sec)");
    private final ActualTable.Numbers decodeCount = decodeSeries.numbers("decode_completion");
    private final ActualTable.Numbers eventTime = eventLog.numbers("time");
    private final ActualTable.Numbers eventId = eventLog.numbers("event_id");
    private final ActualTable.Texts eventType = eventLog.texts("type");
    private final ActualTable.Numbers eventReplica = eventLog.numbers("replica_id");
    private final ActualTable.Numbers eventStage = eventLog.numbers("stage_id");
    private final ActualTable.Numbers eventBatch = eventLog.numbers("batch_id");
    private final ActualTable.Numbers eventRequest = eventLog.numbers("request_id");
    private final ActualTable.Texts eventCreated = eventLog.texts("created_event_ids");
    private final int[] replicaOf;
    private double lastArrival = Double.NaN;
    private long prefillTokens;
    private long decodeTokens;

    CaseRecorder(ServingSpec spec, OperatorTimes times, int requests, boolean logEvents, boolean operations) {
        this.logEvents = logEvents;
        this.operations = new OperationTables(spec, times, operations);
        this.replicaOf = new int[requests];
        this.interArrival = new double[requests];
        this.stageColumns = numbers(
                stages,
                "batch_id",
                "replica_id",
                "stage_id",
                "scheduled_at",
                "completed_at",
                "execution_time",
                "model_execution_time",
                "size",
                "num_tokens");
    }

    static ActualTable.Numbers[] numbers(ActualTable table, String... names) {
        ActualTable.Numbers[] columns = new ActualTable.Numbers[names.length];
        for (int i = 0; i < names.length; i++) {
            columns[i] = table.numbers(names[i]);
        }
        return columns;
    }

    @Override
    public Set<Signal> signals() {
        return logEvents ? EnumSet.allOf(Signal.class) : EnumSet.complementOf(EnumSet.of(Signal.EVENTS));
    }

    @Override
    public void requestArrived(int request, double time) {
        interArrival[request] = time - lastArrival;
        lastArrival = time;
    }

    @Override
    public void requestAssigned(int request, int replica, double time) {
        replicaOf[request] = replica;
    }

    /** Completes the assignment table, in order of request. */
    void finish(int arrived) {
        for (int i = 0; i < arrived; i++) {
            assignedRequest.add(i);
            assignedReplica.add(replicaOf[i]);
            assignment.endRow();
        }
    }

    @Override
    public void prefillCompleted(int tokens, double time) {
        prefillTokens += tokens;
        prefillTime.add(time);
        prefillCount.add(prefillTokens);
        prefillSeries.endRow();
    }

    @Override
    public void decodeLatency(double seconds, double time) {
        tokenLatency.add(seconds);
        decodeTime.add(time);
        decodeCount.add(++decodeTokens);
        decodeSeries.endRow();
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
        double[] row = {
            (double) batch.id(),
            batch.replica(),
            stage,
            start,
            time,
            totalSeconds,
            modelSeconds,
            batch.size(),
            batch.totalTokens()
        };
        for (int i = 0; i < row.length; i++) {
            stageColumns[i].add(row[i]);
        }
        stages.endRow();
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        batches.ended(batch, time);
        batchTime.add(time - batch.scheduledAt());
        operations.ended(batch);
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
        eventTime.add(time);
        eventId.add(id);
        eventType.add(type.logName());
        boolean ofReplica = type != EventType.REQUEST_ARRIVAL && type != EventType.GLOBAL_SCHEDULE;
        boolean ofStage = ofReplica && type != EventType.REPLICA_SCHEDULE && type != EventType.BATCH_END;
        eventReplica.add(ofReplica ? replica : Double.NaN);
        eventStage.add(ofStage ? stage : Double.NaN);
        eventBatch.add(batch < 0 ? Double.NaN : (double) batch);
        eventRequest.add(request < 0 ? Double.NaN : request);
        StringJoiner ids = new StringJoiner(" ");
        for (int i = 0; i < created; i++) {
            ids.add(Long.toString(firstCreated + i));
        }
        eventCreated.add(ids.toString());
        eventLog.endRow();
    }
}
