package dev.stagesim.model.trace;

import dev.stagesim.model.KeyNames;
import java.util.Optional;

/** Optional numeric fields of a node in schema 0.0.1, in the order of their field numbers. */
public enum LegacyField {
    /** Location of a tensor: 1 local, 2 remote. */
    TENSOR_LOC(5),
    /** Size in bytes. */
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
    /** Size in bytes, less than 2^32. */
    COMM_SIZE(18),
    COMM_TAG(19),
    COMM_PRIORITY(20);

    /** Lowest number of a 32-bit field. */
    private static final int FIRST_SHORT = 15;

    private static final LegacyField[] ALL = values();

    private final int field;

    LegacyField(int field) {
        this.field = field;
    }

    public int field() {
        return field;
    }

    /** True if values have only 32 bits. */
    public boolean isShort() {
        return field >= FIRST_SHORT;
    }

    /** Name in the schema. */
    public String label() {
        return KeyNames.constant(this);
    }

    /** Returns the field with this number; empty if there is none. */
    public static Optional<LegacyField> ofField(int field) {
        for (LegacyField each : ALL) {
            if (each.field == field) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Returns the number of a collective in this schema; 0 if it has none. */
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
