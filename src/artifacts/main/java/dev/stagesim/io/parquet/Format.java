package dev.stagesim.io.parquet;

import dev.stagesim.contract.ColumnType;

/** Constants of the Parquet format. */
final class Format {
    static final String MAGIC = "PAR1";
    static final int PLAIN = 0;
    static final int RUN_LENGTHS = 3;
    static final int DELTAS = 5;
    static final int DICTIONARY = 8;
    static final int DATA_PAGE = 0;
    static final int DICTIONARY_PAGE = 2;
    static final int REQUIRED = 0;
    static final int OPTIONAL = 1;
    static final int NO_CODEC = 0;
    static final int GZIP = 2;

    private static final int BOOLEAN = 0;
    private static final int INT64 = 2;
    private static final int DOUBLE = 5;
    private static final int BYTE_ARRAY = 6;

    private Format() {}

    static int physical(ColumnType type) {
        return switch (type) {
            case BOOL -> BOOLEAN;
            case INT64 -> INT64;
            case FLOAT64 -> DOUBLE;
            case STRING -> BYTE_ARRAY;
        };
    }

    static int encoding(ColumnType type) {
        return switch (type) {
            case INT64 -> DELTAS;
            case STRING -> DICTIONARY;
            case FLOAT64, BOOL -> PLAIN;
        };
    }

    /** Returns the bits needed for {@code values} different values. */
    static int width(int values) {
        return values < 2 ? 1 : Integer.SIZE - Integer.numberOfLeadingZeros(values - 1);
    }
}
