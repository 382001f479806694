package dev.stagesim.verify.fidelity.kernels;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A table of measured kernels with the columns of {@code real/kernels}, or with those of AIConfigurator.
 *
 * @param width number of columns
 * @param columns index of each column by its name here
 */
record KernelTable(int width, Map<String, Integer> columns) {
    private static final double US_PER_MS = 1e3;

    /** Names here of AIConfigurator's and other columns. */
    private static final Map<String, String> NAMES =
            LooseTable.resource(KernelTable.class, "columns.csv").texts("column", "name");

    private static final Map<String, String> OPTIONS =
            LooseTable.resource(KernelTable.class, "devices.csv").texts("device", "option");

    /** Returns the table with these columns; empty if it has no device or no time. */
    static Optional<KernelTable> of(List<String> header) {
        Map<String, Integer> columns = new HashMap<>();
        for (int i = 0; i < header.size(); i++) {
            columns.putIfAbsent(NAMES.getOrDefault(header.get(i), header.get(i)), i);
        }
        boolean isTimed = Stream.of("time_us", "latency", "dispatch_us").anyMatch(columns::containsKey);
        return isTimed && columns.containsKey("device")
                ? Optional.of(new KernelTable(header.size(), columns))
                : Optional.empty();
    }

    /** Returns the hardware option of a device's name. */
    static String option(String device) {
        return OPTIONS.getOrDefault(
                device, device.toLowerCase(Locale.ROOT).replace('-', '_').replace(' ', '_'));
    }

    /** Returns the kernels of a row; empty if they are not predicted. */
    List<Row> rows(String[] cells) {
        return KernelKind.of(columns.keySet(), operation(cells)).stream()
                .map(kind -> new Row(this, kind, cells))
                .toList();
    }

    /** Returns the operation of a row, or an empty text if the table has no such column. */
    String operation(String[] cells) {
        Integer at = columns.get("operation");
        return at == null ? "" : cells[at];
    }

    /** A measured kernel. */
    record Row(KernelTable table, KernelKind kind, String[] cells) {
        String device() {
            return text("device");
        }

        double micros() {
            return switch (kind) {
                case DISPATCH -> number("dispatch_us") + optional("dispatch_notify_us", 0);
                case COMBINE -> number("combine_us") + optional("combine_notify_us", 0);
                default -> has("time_us") ? number("time_us") : US_PER_MS * number("latency");
            };
        }

        double optional(String column, double otherwise) {
            return has(column) ? number(column) : otherwise;
        }

        /** The name of the kernel; empty if the table has no such column. */
        String implementation() {
            return has("implementation") ? text("implementation") : "";
        }

        /** Engine, device and format. */
        String group() {
            String kv = has("kv_dtype") ? " " + text("kv_dtype") : "";
            boolean isNamed = kind == KernelKind.COLLECTIVE
                    || kind == KernelKind.DECODE_MODULE
                    || kind == KernelKind.PREFILL_MODULE;
            String operation = isNamed ? text("operation") + " " : "";
            String engine = text("engine").toLowerCase(Locale.ROOT);
            String format = has("dtype") ? text("dtype") : implementation();
            return device() + " " + engine + " " + operation + format + kv;
        }

        boolean has(String column) {
            return table.columns.containsKey(column);
        }

        double number(String column) {
            String text = text(column);
            try {
                return Double.parseDouble(text);
            } catch (NumberFormatException e) {
                throw invalid("column '" + column + "' is '" + text + "', expected a number");
            }
        }

        String text(String column) {
            Integer at = table.columns.get(column);
            if (at == null) {
                throw invalid("column '" + column + "' is missing");
            }
            return cells[at];
        }

        private StageException invalid(String what) {
            return StageException.input(Problem.artifact("table of kernels " + kind, what)
                    .options(table.columns.keySet().stream().sorted().toList()));
        }
    }
}
