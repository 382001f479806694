package dev.stagesim.model.trace;

import java.util.Locale;
import java.util.Optional;

/** Optional numbers of a node of schema 0.0.1, in the order of their fields. */
public enum LegacyField {
    /** Where a tensor is: 1 local, 2 remote. */
    TENSOR_LOC(5),
    /** Bytes. */
    TENSOR_SIZE(6),
    /** Cycles of a computation. */
    SIMULATED_RUN_TIME(7),
    INPUT_TENSOR_LOC(8),
    INPUT_TENSOR_SIZE(9),
    OUTPUT_TENSOR_LOC(10),
    OUTPUT_TENSOR_SIZE(11),
    NUM_OPS(12),
    /** Collective: 1 all-reduce, 2 all-to-all, 3 all-gather, 4 reduce-scatter. */
    COMM_TYPE(13),
    COMMUNICATOR_ID(15),
    COMM_SRC(16),
    COMM_DST(17),
    /** Bytes, fewer than 2^32. */
    COMM_SIZE(18),
    COMM_TAG(19),
    COMM_PRIORITY(20);

    /** Least number of a field that has 32 bits. */
    private static final int FIRST_SHORT = 15;

    private static final LegacyField[] ALL = values();

    private final int field;

    LegacyField(int field) {
        this.field = field;
    }

    public int field() {
        return field;
    }

    /** Whether values have 32 bits only. */
    public boolean isShort() {
        return field >= FIRST_SHORT;
    }

    /** Name in the schema. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The field with this number, if it is one of these. */
    public static Optional<LegacyField> ofField(int field) {
        for (LegacyField each : ALL) {
            if (each.field == field) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Number of a collective in this schema; 0 for those it lacks. */
    public static int collective(Optional<CollectiveType> type) {
        return type.map(known -> switch (known) {
                    case ALL_REDUCE -> 1;
                    case ALL_TO_ALL -> 2;
                    case ALL_GATHER -> 3;
                    case REDUCE_SCATTER -> 4;
                    default -> 0;
                })
                .orElse(0);
    }
}
