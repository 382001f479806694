package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code llama-bench} of llama.cpp, JSON, JSON lines or CSV: prompt processing, or generation, of a single stream.
 *
 * <p>Columns differ between versions, so they are found by name. The rates are kernel rates, not serving rates.
 */
public final class LlamaBenchFormat extends ResultFormat {
    /** Standard deviation over mean of the times up to which the mean rate is near the rate of the mean time. */
    private static final double MAX_VARIATION = 0.3;

    public LlamaBenchFormat() {
        super("llama_bench", "llama-bench -o json, jsonl or csv");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasColumns("build_commit", "avg_ts")
                || (file.head().contains("\"build_commit\"") && file.head().contains("\"avg_ts\""));
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "llama-bench has no requests");
        LocatedJson row = ResultSelector.pick(rows(file), file.toString(), options, LlamaBenchFormat::label);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "llama-bench", row.source());
        builder.model(row.find("model_type")).engine(row);
        long prompt = row.get("n_prompt").asLong();
        long generated = row.get("n_gen").asLong();
        String what =
                generated == 0 ? "prompt_tokens_per_s" : prompt == 0 ? "output_tokens_per_s" : "total_tokens_per_s";
        Optional<LocatedJson> rate = row.find("avg_ts");
        if (rate.isPresent() && row.find("avg_ns").isPresent()) {
            double ns = row.get("avg_ns").asDouble();
            double expected = (prompt + generated) * NS_PER_S / ns;
            // The mean of rates exceeds the rate of the mean time if times vary, for example with a cold first
            // repetition.
            boolean varies = row.find("stddev_ns").map(LocatedJson::asDouble).orElse(ns) > MAX_VARIATION * ns;
            if (!varies || rate.get().asDouble() < expected) {
                builder.agrees(rate.get().where(), "avg_ts", rate.get().asDouble(), expected, 0);
            }
        }
        builder.rate(what, rate);
        builder.warn("one stream, batch size 1: a kernel rate, not a serving rate");
        return builder.done();
    }

    private static List<LocatedJson> rows(Path file) throws IOException {
        if (!FormatProbe.at(file).head().strip().matches("(?s)[\\[{].*")) {
            return csv(file);
        }
        List<LocatedJson> documents = ResultFile.documents(file);
        return documents.size() == 1 && documents.get(0).value() instanceof JsonValue.Arr
                ? documents.get(0).items()
                : documents;
    }

    /** Parses the quoted numbers of the CSV. */
    private static List<LocatedJson> csv(Path file) throws IOException {
        LooseTable table = ResultFile.table(file);
        List<LocatedJson> rows = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            for (String column : table.columns()) {
                members.put(column, value(table.text(i, column)));
            }
            rows.add(new LocatedJson(table.where(i), "", JsonValue.of(members)));
        }
        return rows;
    }

    private static JsonValue value(String text) {
        if (text.matches("-?\\d{1,18}")) {
            return JsonValue.of(Long.parseLong(text));
        }
        return text.matches("-?\\d+\\.\\d+(e[+-]?\\d+)?") ? JsonValue.of(Double.parseDouble(text)) : JsonValue.of(text);
    }

    private static String label(LocatedJson row) {
        return " (n_prompt " + row.get("n_prompt").asLong() + ", n_gen "
                + row.get("n_gen").asLong() + ")";
    }
}
