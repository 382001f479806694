package dev.stagesim.sim.serving.replica;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** The kind of an event, with its name in Vidur's event log. */
public enum EventType {
    REQUEST_ARRIVAL(0, "RequestArrivalEvent"),
    GLOBAL_SCHEDULE(1, "GlobalScheduleEvent"),
    REPLICA_SCHEDULE(2, "ReplicaScheduleEvent"),
    BATCH_STAGE_ARRIVAL(3, "BatchStageArrivalEvent"),
    REPLICA_STAGE_SCHEDULE(4, "ReplicaStageScheduleEvent"),
    BATCH_STAGE_END(5, "BatchStageEndEvent"),
    BATCH_END(6, "BatchEndEvent");

    private static final EventType[] BY_CODE = new EventType[values().length];

    static {
        for (EventType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;
    private final String logName;

    EventType(int code, String logName) {
        this.code = code;
        this.logName = logName;
    }

    /** Returns the number of the kind in packed events. */
    public int code() {
        return code;
    }

    public static EventType ofCode(int code) {
        return BY_CODE[code];
    }

    /** Returns counts by code as a map by kind. */
    public static Map<EventType, Long> counts(long[] byCode) {
        Map<EventType, Long> counts = new EnumMap<>(EventType.class);
        for (EventType type : values()) {
            counts.put(type, byCode[type.code]);
        }
        return Collections.unmodifiableMap(counts);
    }

    public String logName() {
        return logName;
    }
}
