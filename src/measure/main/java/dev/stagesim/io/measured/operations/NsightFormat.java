package dev.stagesim.io.measured.operations;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.RejectedRecords;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.io.measured.operations.OperatorSums.Key;
import dev.stagesim.io.sqlite.SqliteFile;
import dev.stagesim.io.sqlite.SqliteRow;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Exports of Nsight Systems: a database ({@code nsys export --type sqlite}), or CSV of {@code nsys stats --report
 * cuda_gpu_kern_sum --format csv} with the total for each kernel. The header of the CSV contains the unit.
 */
public final class NsightFormat extends ResultFormat {
    public NsightFormat() {
        super("nsight", "database of nsys export --type sqlite, or CSV of nsys stats --report cuda_gpu_kern_sum");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return isDatabase(file)
                || (file.header().stream().anyMatch(column -> column.startsWith("Total Time ("))
                        && file.hasColumns("Instances", "Name"));
    }

    private static boolean isDatabase(FormatProbe file) {
        return file.head().startsWith("SQLite format 3\u0000");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "a profile has no requests");
        if (isDatabase(FormatProbe.at(file))) {
            return NsightDatabase.read(file);
        }
        LooseTable table = ResultFile.table(file);
        String total = column(table, file, "Total Time (");
        double unit = unit(total, file);
        List<Operator> rows = new ArrayList<>();
        List<String> places = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            rows.add(new Operator(
                    "gpu",
                    "kernel",
                    table.text(i, "Name"),
                    ToolUnits.round(table.number(i, "Instances")),
                    ToolUnits.round(table.number(i, total) * unit),
                    ToolUnits.round(table.number(i, column(table, file, "Min (")) * unit),
                    ToolUnits.round(table.number(i, column(table, file, "Max (")) * unit)));
            places.add(table.where(i));
        }
        MeasurementBuilder builder =
                new MeasurementBuilder(name(), "Nsight Systems", file.toString()).clock("ns of the GPU");
        return builder.operations(rows, List.of(), places).done();
    }

    private static String column(LooseTable table, Path file, String prefix) {
        return table.columns().stream()
                .filter(name -> name.startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> StageException.input(
                        Problem.artifact(file.toString(), "there is no column '" + prefix + "...)'")));
    }

    private static double unit(String column, Path file) {
        String unit = column.substring(column.indexOf('(') + 1).replaceFirst("\\).*", "");
        try {
            return ToolUnits.ns(unit);
        } catch (IllegalArgumentException unknown) {
            throw StageException.input(Problem.artifact(file.toString(), "column '" + column + "' has an unknown unit")
                    .options(List.of("ns", "us", "ms", "s")));
        }
    }

    /**
     * Database that {@code nsys export --type sqlite} writes: kernels, copies, calls of the CUDA runtime and NVTX ranges.
     *
     * <p>Tables are there only when something was recorded for them; names are numbers of rows in {@code StringIds}; the text of a
     * range may be in either place; times are ns since the session began. Columns are found by name, for they change by version.
     */
    private static final class NsightDatabase {
        private static final String STRINGS = "StringIds";
        private static final String KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL";
        private static final String COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY";
        private static final String SETS = "CUPTI_ACTIVITY_KIND_MEMSET";
        private static final String CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME";
        private static final String RANGES = "NVTX_EVENTS";
        private static final long PUSH_POP = 59;
        private static final long START_END = 60;

        /** Kinds of copies as CUPTI numbers them. */
        private static final String[] COPY_KINDS = {
            "unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"
        };

        private final SqliteFile database;
        private final Map<Long, String> strings = new HashMap<>();
        private final OperatorSums sums = new OperatorSums();
        private final RejectedRecords leftOut = new RejectedRecords("event");
        private long events;
        private long openRanges;

        private NsightDatabase(SqliteFile database) {
            this.database = database;
        }

        static Measurement read(Path file) throws IOException {
            MeasurementBuilder builder = new MeasurementBuilder("nsight", "Nsight Systems", file.toString())
                    .clock("ns since the session began");
            try (SqliteFile database = SqliteFile.open(file)) {
                return builder.operations(new NsightDatabase(database).operations(file, builder))
                        .done();
            }
        }

        private List<Operator> operations(Path file, MeasurementBuilder builder) throws IOException {
            if (database.has(STRINGS, "id", "value")) {
                database.rows(STRINGS, row -> strings.put(row.integer("id"), row.text("value")));
            }
            String kernel = database.has(KERNELS, "demangledName") ? "demangledName" : "shortName";
            table(KERNELS, kernel, id -> new Key("gpu", "kernel", string(id)));
            table(COPIES, "copyKind", kind -> new Key("gpu", "memcpy", copyKind(kind)));
            table(SETS, "start", start -> new Key("gpu", "memset", "memset"));
            table(CALLS, "nameId", id -> new Key("cpu", "cuda_runtime", string(id)));
            if (database.has(RANGES, "start", "end", "eventType", "text")) {
                database.rows(RANGES, this::range);
            }
            if (sums.isEmpty()) {
                throw StageException.input(
                        Problem.artifact(file.toString(), "contains no kernels, copies, calls or NVTX ranges")
                                .options(List.of(KERNELS, COPIES, SETS, CALLS, RANGES))
                                .note("there are", String.join(", ", database.tables())));
            }
            if (openRanges > 0) {
                builder.warn("NVTX ranges without an end, left out: " + openRanges);
            }
            List<Operator> rows = sums.rows(1);
            if (rows.stream()
                    .anyMatch(
                            row -> row.category().equals("kernel") && row.name().startsWith("nccl"))) {
                builder.warn("a communication kernel's time includes waiting for the slowest rank");
            }
            leftOut.among(events).ifPresent(builder::warn);
            return rows;
        }

        /** Sums the rows of a table, if it exists, grouped by a column. */
        private void table(String table, String column, LongFunction<Key> key) throws IOException {
            if (database.has(table, "start", "end", column)) {
                database.rows(table, row -> add(key.apply(row.integer(column)), row));
            }
        }

        private String string(long id) {
            return strings.getOrDefault(id, "string " + id).replace('\n', ' ');
        }

        private static String copyKind(long kind) {
            return kind >= 0 && kind < COPY_KINDS.length ? COPY_KINDS[(int) kind] : "kind " + kind;
        }

        private void range(SqliteRow row) {
            long type = row.integer("eventType");
            if (type != PUSH_POP && type != START_END) {
                return; // marks, names of threads, domains
            }
            if (row.isNull("end")) {
                openRanges++;
                return;
            }
            boolean byId = row.isNull("text") && database.has(RANGES, "textId");
            String text = byId ? strings.getOrDefault(row.integer("textId"), "") : row.text("text");
            add(new Key("cpu", "nvtx", text.replace('\n', ' ')), row);
        }

        private void add(Key key, SqliteRow row) {
            events++;
            long ns = ToolUnits.since(row.integer("end"), row.integer("start"));
            if (ToolUnits.isDuration(ns)) {
                sums.add(key, ns);
            } else {
                leftOut.add(
                        key.device() + " " + key.category() + " " + key.name(),
                        "an event takes " + ToolUnits.ms(ns) + ", expected from 0 to below a year");
            }
        }
    }
}
