package dev.stagesim.contract;

import dev.stagesim.model.KeyNames;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** File format of a run's tables. */
public enum TableFormat {
    CSV, // Text.
    PARQUET, // Parquet without compression; numbers take a quarter of their size as text.
    PARQUET_GZIP; // Parquet with gzip-compressed pages.

    /** Names that a user can choose. */
    public static final List<String> NAMES =
            Arrays.stream(values()).map(TableFormat::word).toList();

    private static final String TEXT = ".csv";
    private static final String COLUMNS = ".parquet";

    /** Returns the name that a user chooses. */
    public String word() {
        return KeyNames.constant(this);
    }

    /** Returns the format with a name, or empty if there is none. */
    public static Optional<TableFormat> of(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word().equals(word))
                .findFirst();
    }

    /** Returns the file name of a table; {@code csv} is its name in text format. */
    public String file(String csv) {
        return this == CSV || !csv.endsWith(TEXT) ? csv : csv.substring(0, csv.length() - TEXT.length()) + COLUMNS;
    }

    /** True if a table has this file name. */
    public static boolean isTable(String file) {
        return file.endsWith(TEXT) || isParquet(file);
    }

    public static boolean isParquet(String file) {
        return file.endsWith(COLUMNS);
    }

    /** Returns the name of a table in text format for any of its file names. */
    public static String csv(String file) {
        return isParquet(file) ? file.substring(0, file.length() - COLUMNS.length()) + TEXT : file;
    }

    /** Returns the name of a table without the file extension. */
    public static String name(String file) {
        String csv = csv(file);
        return csv.endsWith(TEXT) ? csv.substring(0, csv.length() - TEXT.length()) : csv;
    }
}
