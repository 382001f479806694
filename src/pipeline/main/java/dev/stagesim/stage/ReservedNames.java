package dev.stagesim.stage;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Names in a run directory that the pipeline, reports and tables use; keys for output names must not use them. */
public final class ReservedNames {
    private static final Set<String> NAMES =
            Set.of("run_meta.json", "config", "summary.md", "report.html", "outputs", "native");

    private ReservedNames() {}

    /** Returns true if a name is reserved for a stage with these tables, on any file system. */
    public static boolean isReserved(String name, List<TableSchema> tables) {
        String plain = name.toLowerCase(Locale.ROOT);
        return NAMES.contains(plain)
                || tables.stream().flatMap(ReservedNames::files).anyMatch(plain::equals);
    }

    private static Stream<String> files(TableSchema table) {
        return Arrays.stream(TableFormat.values()).map(format -> format.file(table.name()));
    }
}
