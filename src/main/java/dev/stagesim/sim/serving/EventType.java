package dev.stagesim.sim.serving;

/** What happens at an event; the names are those of the reference's event log. */
public enum EventType {
    REQUEST_ARRIVAL("RequestArrivalEvent"),
    GLOBAL_SCHEDULE("GlobalScheduleEvent"),
    REPLICA_SCHEDULE("ReplicaScheduleEvent"),
    BATCH_STAGE_ARRIVAL("BatchStageArrivalEvent"),
    REPLICA_STAGE_SCHEDULE("ReplicaStageScheduleEvent"),
    BATCH_STAGE_END("BatchStageEndEvent"),
    BATCH_END("BatchEndEvent");

    private final String logName;

    EventType(String logName) {
        this.logName = logName;
    }

    public String logName() {
        return logName;
    }
}
