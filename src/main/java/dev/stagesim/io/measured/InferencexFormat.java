package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.LocatedJson;
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
 * Aggregates of InferenceX: {@code agg_*.json} of one run, or an array of them. Times are those of {@code vllm bench serve} in s;
 * interactivity is 1 over the time per output token; rates are per GPU.
 */
final class InferencexFormat extends ResultFormat {
    private static final Pattern TIME = Pattern.compile("(mean|median|p\\d+(?:\\.\\d+)?)_(ttft|tpot|itl|e2el)");
    private static final Map<String, String> METRICS =
            Map.of("ttft", "ttft", "tpot", "tpot", "itl", "token_gap", "e2el", "e2e");
    private static final Map<String, String> DEFINITIONS = Map.of("tpot", "A", "itl", "B");
    private static final Pattern RESULT = Pattern.compile(".*_(?:ttft|tpot|itl|e2el|intvty|per_gpu)");
    private static final double TOLERANCE = 0.01;

    InferencexFormat() {
        super("inferencex", "agg_*.json of InferenceX, one result or an array of them");
    }

    @Override
    boolean recognises(Glimpse file) {
        return file.first()
                .map(at -> at.isArray() && !at.items().isEmpty() ? at.items().get(0) : at)
                .filter(LocatedJson::isObject)
                .filter(at -> at.has("tput_per_gpu") && at.has("hw") && at.has("framework"))
                .isPresent();
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "the file has aggregates only");
        LocatedJson root = ResultFile.document(file);
        List<LocatedJson> runs = root.isArray() ? root.items() : List.of(root);
        LocatedJson run = Entries.pick(runs, file.toString(), options, InferencexFormat::label);
        Draft draft = new Draft(name(), "InferenceX", run.where()).model(run.find("model"));
        draft.engine("name", run.find("framework")).engine("image", run.find("image"));
        draft.engine("accelerator", run.find("hw"));
        draft.settings(
                run,
                run.members().keySet().stream()
                        .filter(name -> RESULT.matcher(name).matches())
                        .toArray(String[]::new));
        run.find("conc").ifPresent(at -> draft.setting("max_concurrency", at));
        draft.closedLoop(run.find("conc").map(LocatedJson::asLong));
        draft.means("ttft", VllmAggregates.TTFT).means("tpot", VllmAggregates.TPOT);
        draft.means("token_gap", VllmAggregates.TOKEN_GAP);
        run.members().forEach((name, value) -> time(draft, run, name, value));
        rates(draft, run);
        return draft.done();
    }

    private static void time(Draft draft, LocatedJson run, String name, LocatedJson value) {
        Matcher time = TIME.matcher(name);
        if (!time.matches() || value.isNull()) {
            return;
        }
        String metric = time.group(2);
        String statistic = time.group(1).equals("median") ? "p50" : time.group(1);
        draft.aggregate(
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

    /** Rates of all GPUs. Of a disaggregated run the output is per decode GPU, or per GPU if the run has none. */
    private static void rates(Draft draft, LocatedJson run) {
        long prefill = run.count("num_prefill_gpu", 0);
        long decode = run.count("num_decode_gpu", 0);
        long gpus = run.has("num_prefill_gpu")
                ? prefill + decode
                : run.count("tp", 0) * run.count("pp", 1) * run.count("pcp_size", 1);
        if (gpus < 1) {
            draft.warn("rates are left out: the number of GPUs is unknown");
            return;
        }
        scaled(draft, "total_tokens_per_s", run.find("tput_per_gpu"), gpus);
        scaled(draft, "output_tokens_per_s", run.find("output_tput_per_gpu"), decode > 0 ? decode : gpus);
        draft.outputTokens(run.find("osl").map(LocatedJson::asDouble));
    }

    private static void scaled(Draft draft, String name, Optional<LocatedJson> rate, long gpus) {
        rate.ifPresent(at -> draft.rate(name, at.asDouble() * gpus));
    }

    private static String label(LocatedJson run) {
        return " (" + run.text("model", "") + ", " + run.text("hw", "") + ", conc "
                + run.find("conc").map(JsonFacts::text).orElse("unknown") + ")";
    }
}
