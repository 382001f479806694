package dev.stagesim.verify.vidur;

import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stage.workload.WorkloadStage;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One of Vidur's request generations: parameters in {@code <id>.json}, the requests it gave in {@code <id>.csv}.
 *
 * <p>Passes when every arrival is the same double and every length the same integer. One rule deviates: with
 * {@code scramble} Vidur's own output differs from run to run, so a clear refusal is what passes.
 */
final class GeneratorCase {
    /** Name of the documented deviation. */
    static final String SCRAMBLE_RULE =
            "generators with scramble (spec section 11): Vidur hashes with a salt, so compat=vidur refuses";

    private static final int MAX_DIFFERENCES = 3;

    private final Path json;
    private final LocatedJson root;
    private long compared;

    private GeneratorCase(Path json, LocatedJson root) {
        this.json = json;
        this.root = root;
    }

    /** A case with valid parameters. */
    static GeneratorCase of(Path json, LocatedJson root) {
        return new GeneratorCase(json, root);
    }

    /** Values compared by {@link #differences}. */
    long compared() {
        return compared;
    }

    /** True when the documented deviation applies. */
    boolean isScrambled() {
        return root.get("length").find("scramble").map(LocatedJson::asBool).orElse(false);
    }

    /** Returns the differences from Vidur's output; empty if the case is reproduced or deviates as documented. */
    List<String> differences() throws IOException {
        WorkloadStageSettings settings = new WorkloadStageSettings(
                workload(), arrival(), CompatMode.VIDUR, new SuiteSettings(SuiteSettings.Values.TABLE));
        try {
            RequestTable made = new WorkloadStage().requests(settings, json.resolveSibling(""));
            return isScrambled() ? List.of("scramble was expected to be refused") : compare(made);
        } catch (StageException e) {
            boolean refusedHash =
                    isScrambled() && String.valueOf(e.getMessage()).contains("salted");
            return refusedHash ? List.of() : List.of(String.valueOf(e.getMessage()));
        }
    }

    private List<String> compare(RequestTable made) throws IOException {
        List<String> differences = new ArrayList<>();
        int at = 0;
        try (CsvRows rows = CsvRows.open(sibling(json.getFileName().toString().replace(".json", ".csv")))) {
            int time = rows.column("arrived_at");
            int prefill = rows.column("num_prefill_tokens");
            int decode = rows.column("num_decode_tokens");
            for (; rows.next(); at++) {
                String expected =
                        Double.parseDouble(rows.text(time)) + "," + rows.text(prefill) + "," + rows.text(decode);
                String actual = at < made.size()
                        ? made.arrivalSeconds(at) + "," + made.prefill(at) + "," + made.decode(at)
                        : "nothing";
                compared += 3;
                if (!expected.equals(actual) && differences.size() < MAX_DIFFERENCES) {
                    differences.add("request " + at + ": expected " + expected + ", got " + actual);
                }
            }
        }
        if (at != made.size()) {
            differences.add("expected " + at + " requests, got " + made.size());
        }
        return differences;
    }

    private ServingWorkload workload() {
        LocatedJson length = root.get("length");
        boolean trace = length.get("type").asString().equals("trace");
        return new ServingWorkload(
                Optional.empty(),
                Optional.of(root.get("request_generator_seed").asLong()),
                root.find("duration").isPresent()
                        ? Optional.empty()
                        : root.find("num_requests").map(LocatedJson::asInt),
                root.find("duration").map(LocatedJson::asDouble),
                lengths(length),
                new ServingWorkload.RequestFile(
                        length.find("trace_file").map(name -> sibling(name.asString())),
                        TraceFormat.AUTO,
                        RowSettings.ALL,
                        Optional.empty()),
                trace ? length.find("max_tokens").map(LocatedJson::asInt) : Optional.empty(),
                Optional.empty(),
                new SharingSettings.None(),
                LabelSettings.NONE);
    }

    private static LengthSettings lengths(LocatedJson length) {
        Optional<Long> seed = length.find("length_seed").map(LocatedJson::asLong);
        double ratio = length.find("prefill_to_decode_ratio")
                .map(LocatedJson::asDouble)
                .orElse(20.0);
        return switch (length.get("type").asString()) {
            case "fixed" ->
                new LengthSettings.Fixed(
                        length.get("prefill_tokens").asInt(),
                        length.get("decode_tokens").asInt());
            case "uniform" ->
                new LengthSettings.Uniform(
                        length.get("min_tokens").asInt(),
                        length.get("max_tokens").asInt(),
                        ratio);
            case "zipf" ->
                new LengthSettings.Zipf(
                        length.get("min_tokens").asInt(),
                        length.get("max_tokens").asInt(),
                        length.get("theta").asDouble(),
                        length.find("scramble").map(LocatedJson::asBool).orElse(false),
                        ratio,
                        seed);
            case "trace" ->
                new LengthSettings.Trace(
                        RowOrder.SHUFFLED,
                        false,
                        length.find("prefill_scale_factor")
                                .map(LocatedJson::asDouble)
                                .orElse(1.0),
                        length.find("decode_scale_factor")
                                .map(LocatedJson::asDouble)
                                .orElse(1.0),
                        seed);
            default -> throw length.get("type").expected("fixed, uniform, zipf or trace");
        };
    }

    private ArrivalSettings arrival() {
        LocatedJson interval = root.get("interval");
        return switch (interval.get("type").asString()) {
            case "static" -> new ArrivalSettings.AtOnce();
            case "poisson" -> new ArrivalSettings.Poisson(interval.get("qps").asDouble());
            case "gamma" ->
                new ArrivalSettings.Gamma(
                        interval.get("qps").asDouble(), interval.get("cv").asDouble());
            case "trace" ->
                new ArrivalSettings.Trace(
                        Optional.of(sibling(interval.get("trace_file").asString())),
                        interval.find("start_time").map(LocatedJson::asString),
                        interval.find("end_time").map(LocatedJson::asString),
                        interval.find("time_scale_factor")
                                .map(LocatedJson::asDouble)
                                .orElse(1.0));
            default -> throw interval.get("type").expected("static, poisson, gamma or trace");
        };
    }

    private Path sibling(String name) {
        return json.resolveSibling(name);
    }
}
