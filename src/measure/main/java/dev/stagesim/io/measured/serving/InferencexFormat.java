package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.JsonFacts;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Aggregates of InferenceX: {@code agg_*.json} of one run, or an array of runs. Times are defined as in {@code vllm bench
 * serve}, in s; interactivity is 1 over the time per output token; rates are per GPU.
 */
public final class InferencexFormat extends ResultFormat {
    private static final Pattern TIME = Pattern.compile("(mean|median|p\\d+(?:\\.\\d+)?)_(ttft|tpot|itl|e2el)");
    private static final Map<String, String> METRICS =
            Map.of("ttft", "ttft", "tpot", "tpot", "itl", "token_gap", "e2el", "e2e");
    private static final Map<String, String> DEFINITIONS = Map.of("tpot", "A", "itl", "B");
    private static final Pattern RESULT = Pattern.compile(".*_(?:ttft|tpot|itl|e2el|intvty|per_gpu)");
    private static final double TOLERANCE = 0.01;
    private static final long REQUESTS_PER_CLIENT = 10;

    public InferencexFormat() {
        super("inferencex", "agg_*.json of InferenceX, one result or an array of them");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("tput_per_gpu", "hw", "framework") || file.hasItems("tput_per_gpu", "hw", "framework");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "the file has aggregates only");
        LocatedJson root = ResultFile.document(file);
        List<LocatedJson> runs = root.isArray() ? root.items() : List.of(root);
        LocatedJson run = ResultSelector.pick(runs, file.toString(), options, InferencexFormat::label);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "InferenceX", run.where()).model(run.find("model"));
        builder.engine("name", run.find("framework")).engine("image", run.find("image"));
        builder.engine("accelerator", run.find("hw"));
        builder.settings(
                run,
                run.members().keySet().stream()
                        .filter(name -> RESULT.matcher(name).matches())
                        .toArray(String[]::new));
        run.find("conc").ifPresent(at -> builder.setting("max_concurrency", at));
        builder.closedLoop(run.find("conc"));
        load(builder, run);
        builder.means("ttft", VllmAggregates.TTFT).means("tpot", VllmAggregates.TPOT);
        builder.means("token_gap", VllmAggregates.TOKEN_GAP);
        run.members().forEach((name, value) -> time(builder, run, name, value));
        rates(builder, run);
        return builder.done();
    }

    /** Adds the load. InferenceX sends ten requests per client. */
    private static void load(MeasurementBuilder builder, LocatedJson run) {
        builder.outputTokens(run.find("osl").map(LocatedJson::asDouble));
        builder.promptTokens(run.find("isl").map(LocatedJson::asDouble));
        long requests = REQUESTS_PER_CLIENT
                * run.find("conc").map(MeasurementBuilder::count).orElse(0L);
        if (requests > 0 && run.has("isl") && run.has("osl")) {
            builder.load(requests, run.get("isl").asDouble(), run.get("osl").asDouble());
        }
    }

    private static void time(MeasurementBuilder builder, LocatedJson run, String name, LocatedJson value) {
        Matcher time = TIME.matcher(name);
        if (!time.matches() || value.isNull()) {
            return;
        }
        String metric = time.group(2);
        String statistic = time.group(1).equals("median") ? "p50" : time.group(1);
        builder.aggregate(
                Objects.requireNonNull(METRICS.get(metric)),
                DEFINITIONS.getOrDefault(metric, ""),
                statistic,
                Optional.of(value),
                NS_PER_S);
        run.find(name.replace("tpot", "intvty"))
                .filter(at -> metric.equals("tpot"))
                .filter(at -> !(Math.abs(at.asDouble() * value.asDouble() - 1) <= TOLERANCE))
                .ifPresent(at -> {
                    throw StageException.input(Problem.artifact(
                            at.where(),
                            "is " + at.asDouble() + " tokens/s, but " + name + " is " + value.asDouble()
                                    + " s, expected its inverse"));
                });
    }

    /**
     * Adds the rates of all GPUs. The output rate of a disaggregated run is per decode GPU, or per GPU if there are no
     * decode GPUs.
     */
    private static void rates(MeasurementBuilder builder, LocatedJson run) {
        long prefill = run.count("num_prefill_gpu", 0);
        long decode = run.count("num_decode_gpu", 0);
        long gpus = run.has("num_prefill_gpu")
                ? prefill + decode
                : run.has("tp") ? product(run, "tp", "pp", "pcp_size") : 0;
        if (gpus < 1) {
            builder.warn("rates are left out: the number of GPUs is unknown");
            return;
        }
        builder.devices(gpus, run.where());
        scaled(builder, "total_tokens_per_s", run.find("tput_per_gpu"), gpus);
        scaled(builder, "output_tokens_per_s", run.find("output_tput_per_gpu"), decode > 0 ? decode : gpus);
    }

    private static long product(LocatedJson run, String... degrees) {
        long gpus = 1;
        for (String degree : degrees) {
            long count = run.count(degree, 1);
            if (count < 1) {
                throw run.get(degree).expected("at least 1");
            }
            gpus *= count;
        }
        return gpus;
    }

    private static void scaled(MeasurementBuilder builder, String name, Optional<LocatedJson> rate, long gpus) {
        rate.ifPresent(at -> builder.rate(name, at.asDouble() * gpus, at.where()));
    }

    private static String label(LocatedJson run) {
        return " (" + run.text("model", "") + ", " + run.text("hw", "") + ", conc "
                + run.find("conc").map(JsonFacts::text).orElse("unknown") + ")";
    }
}
