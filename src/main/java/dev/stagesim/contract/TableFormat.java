package dev.stagesim.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How the tables of a run are written. */
public enum TableFormat {
    CSV, // Text.
    PARQUET, // Parquet without compression, which is a quarter of the size of numbers as text.
    PARQUET_GZIP; // Parquet whose pages are compressed by gzip.

    /** The words for them. */
    public static final List<String> NAMES =
            Arrays.stream(values()).map(TableFormat::word).toList();

    private static final String TEXT = ".csv";
    private static final String COLUMNS = ".parquet";

    /** What a user calls it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The format of a word; empty when there is none. */
    public static Optional<TableFormat> of(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word().equals(word))
                .findFirst();
    }

    /** The name of a table's file, of which {@code csv} is the one as text. */
    public String file(String csv) {
        return this == CSV || !csv.endsWith(TEXT) ? csv : csv.substring(0, csv.length() - TEXT.length()) + COLUMNS;
    }

    /** True when a file of the name is a table. */
    public static boolean isTable(String file) {
        return file.endsWith(TEXT) || isParquet(file);
    }

    public static boolean isParquet(String file) {
        return file.endsWith(COLUMNS);
    }

    /** The name that a table has as text, whatever its file is. */
    public static String csv(String file) {
        return isParquet(file) ? file.substring(0, file.length() - COLUMNS.length()) + TEXT : file;
    }

    /** The name of a table without the ending of its file. */
    public static String name(String file) {
        String csv = csv(file);
        return csv.endsWith(TEXT) ? csv.substring(0, csv.length() - TEXT.length()) : csv;
    }
}
