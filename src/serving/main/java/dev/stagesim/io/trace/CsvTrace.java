package dev.stagesim.io.trace;

import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A trace in a CSV file with a supported layout. */
final class CsvTrace extends TraceReader {
    /** Splitwise's mark of a row that is a language-model request. */
    private static final String LLM_REQUEST = "2";

    private static final int MAX_SHOWN_CHARACTERS = 40;

    private final CsvRows rows;
    private final int time;
    private final CommonColumns.Unit unit;
    private final int prefillAt;
    private final int decodeAt;
    private final int modelAt;
    private final int typeAt;
    private final int batchAt;
    private final boolean images;
    private final boolean isCommon;

    private CsvTrace(CsvRows rows, CommonColumns columns) {
        super(new Traits(columns.time() >= 0, true, false, false, false, 0));
        this.rows = rows;
        time = columns.time();
        unit = columns.unit();
        prefillAt = columns.prompt();
        decodeAt = columns.output();
        modelAt = -1;
        typeAt = -1;
        batchAt = -1;
        images = false;
        isCommon = true;
    }

    private CsvTrace(CsvRows rows, Layout layout) {
        super(new Traits(
                layout.timeRequired || rows.header().contains(layout.time),
                !layout.prefill.isEmpty(),
                layout == Layout.BURSTGPT,
                false,
                false,
                0));
        this.rows = rows;
        isCommon = false;
        unit = CommonColumns.Unit.SECONDS;
        List<String> header = rows.header();
        this.time = layout.timeRequired ? rows.column(layout.time) : header.indexOf(layout.time);
        this.prefillAt = layout.prefill.isEmpty() ? -1 : rows.column(layout.prefill);
        this.decodeAt = layout.decode.isEmpty() ? -1 : rows.column(layout.decode);
        this.modelAt = layout == Layout.BURSTGPT ? rows.column("Model") : -1;
        this.typeAt = layout == Layout.SPLITWISE ? header.indexOf("request_type") : -1;
        this.batchAt = layout == Layout.SPLITWISE ? header.indexOf("batch_size") : -1;
        this.images = header.contains("NumImages");
    }

    /** A file with columns under common names. */
    static TraceReader common(Path file) throws IOException {
        CsvRows rows = CsvRows.open(file);
        try {
            return new CsvTrace(
                    rows,
                    CommonColumns.find(rows.header())
                            .orElseThrow(() -> StageException.input(Problem.artifact(
                                            file + ":1",
                                            "the columns " + String.join(", ", rows.header())
                                                    + " name no prompt and output tokens, or name them twice")
                                    .note("expected", CommonColumns.describe()))));
        } catch (RuntimeException e) {
            rows.close();
            throw e;
        }
    }

    /** Names of the used columns. Columns are found by name, so their order is free and other columns are allowed. */
    enum Layout {
        AZURE("TIMESTAMP", true, "ContextTokens", "GeneratedTokens"),
        BURSTGPT("Timestamp", true, "Request tokens", "Response tokens"),
        SPLITWISE("arrival_timestamp", true, "prompt_size", "token_size"),
        VIDUR("arrived_at", false, "num_prefill_tokens", "num_decode_tokens"),
        LENGTHS("", false, "num_prefill_tokens", "num_decode_tokens"),
        ARRIVALS("arrival_time", true, "", "");

        private final String time;
        private final boolean timeRequired;
        private final String prefill;
        private final String decode;

        Layout(String time, boolean timeRequired, String prefill, String decode) {
            this.time = time;
            this.timeRequired = timeRequired;
            this.prefill = prefill;
            this.decode = decode;
        }

        TraceReader open(Path file) throws IOException {
            CsvRows rows = CsvRows.open(file);
            try {
                return new CsvTrace(rows, this);
            } catch (RuntimeException e) {
                rows.close();
                throw e;
            }
        }
    }

    @Override
    Step next() {
        if (!rows.next()) {
            return Step.END;
        }
        if (typeAt >= 0 && !rows.text(typeAt).equals(LLM_REQUEST)) {
            return Step.OTHER;
        }
        if (batchAt >= 0 && tokens(batchAt) != 1) {
            throw new BadRow(
                    rows.problem("batch_size is " + rows.text(batchAt) + ", expected 1: a row is one request"));
        }
        if (time >= 0) {
            timeNs = timeOfRow();
        }
        if (prefillAt >= 0) {
            prefill = tokens(prefillAt);
            decode = tokens(decodeAt);
        }
        if (modelAt >= 0) {
            model = rows.text(modelAt);
        }
        return Step.ROW;
    }

    @Override
    Problem problem(String what) {
        return rows.problem(what);
    }

    private long timeOfRow() {
        try {
            return unit.nanos(rows.text(time));
        } catch (IllegalArgumentException e) {
            throw new BadRow(rows.problem(rows.header().get(time) + ": " + e.getMessage()));
        }
    }

    /** Returns a count. {@code 374.0} is valid, because some tools write integers as floats. */
    private int tokens(int column) {
        String text = rows.text(column);
        try {
            int end = text.endsWith(".0") ? text.length() - 2 : text.length();
            int value = Integer.parseInt(text, 0, end, 10);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Falls through to the located error.
        }
        throw new BadRow(rows.problem(String.format(
                Locale.ROOT,
                "%s is '%s', expected a non-negative integer",
                rows.header().get(column),
                text.length() > MAX_SHOWN_CHARACTERS ? text.substring(0, MAX_SHOWN_CHARACTERS) + "..." : text)));
    }

    @Override
    Optional<String> layout() {
        List<String> names = rows.header();
        return !isCommon
                ? Optional.empty()
                : Optional.of("columns are recognised by their names: prompt tokens " + names.get(prefillAt)
                        + ", output tokens " + names.get(decodeAt)
                        + (time < 0 ? ", no times" : ", arrival " + names.get(time) + " in " + unit.text()));
    }

    @Override
    Optional<String> remark() {
        return images
                ? Optional.of("the trace has image inputs (NumImages); tokens of images are not part of ContextTokens")
                : Optional.empty();
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
