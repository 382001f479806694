package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.prometheus.EngineMetrics;
import dev.stagesim.io.prometheus.Histogram;
import dev.stagesim.io.prometheus.MetricsText;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A scrape of a server's {@code /metrics}. A histogram gives the mean exactly and a percentile only within its bucket, so means are
 * compared and percentiles are kept as ranges.
 */
final class PrometheusFormat extends ResultFormat {
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(?:vllm:|sglang:|trtllm_|dynamo_frontend_)\\w+[{ ]");
    private static final List<Double> QUANTILES = List.of(0.5, 0.9, 0.99);
    private static final double PERCENT = 100;

    PrometheusFormat() {
        super("prometheus", "/metrics of vLLM, SGLang, TensorRT-LLM or Dynamo, in the text format of Prometheus");
    }

    @Override
    boolean recognises(Glimpse file) {
        return SAMPLE.matcher(file.head()).find()
                || (file.head().startsWith("# HELP ") && file.head().contains("\n# TYPE "));
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "a scrape has the sums of one server");
        EngineMetrics metrics = new EngineMetrics(MetricsText.parse(file.toString(), InputFile.text(file)));
        if (metrics.prefix().isEmpty()) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "has no metric of vLLM, SGLang, TensorRT-LLM or Dynamo"));
        }
        if (metrics.models().size() > 1) {
            throw StageException.input(Problem.artifact(
                            file.toString(),
                            "has the metrics of several models: " + String.join(", ", metrics.models()))
                    .hint("give the lines of one model, or scrape its server"));
        }
        Draft draft = new Draft(name(), metrics.engine() + " /metrics", file.toString());
        metrics.models().forEach(draft::model);
        draft.engine("name", JsonValue.of(metrics.engine()));
        metrics.cache().forEach((name, value) -> draft.setting(name, new LocatedJson(file.toString(), "", value)));
        JsonObjectBuilder ranges = JsonValue.object();
        for (EngineMetrics.Latency latency : EngineMetrics.Latency.values()) {
            metrics.latency(latency).ifPresent(times -> {
                draft.published(
                        new Published(
                                latency.metric(),
                                latency.definition(),
                                "mean",
                                times.mean() * NS_PER_S,
                                Optional.of(Math.round(times.count())),
                                Optional.empty()),
                        times.where());
                QUANTILES.forEach(q -> ranges.put(latency.metric() + "_p" + Math.round(q * PERCENT), range(times, q)));
            });
        }
        draft.about("samples", ranges.build());
        metrics.figures().forEach(draft::rate);
        draft.outputTokens(Optional.ofNullable(metrics.figures().get("output_tokens_mean")));
        draft.clock("the server's, from the start of the server to the scrape");
        draft.warn("the figures are sums since the server started: they include its warm-up and every other load");
        draft.warn("percentiles are known only within the buckets of the histograms, so means are compared");
        return draft.done();
    }

    private static String range(Histogram times, double quantile) {
        double[] bucket = times.bucketOf(quantile);
        return Double.isInfinite(bucket[1])
                ? "above " + bucket[0] + " s"
                : "from " + bucket[0] + " to " + bucket[1] + " s";
    }
}
