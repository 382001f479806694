package dev.stagesim.io.measured.engine;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
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
public final class PrometheusFormat extends ResultFormat {
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(?:vllm:|sglang:|trtllm_|dynamo_frontend_)\\w+[{ ]");
    private static final List<Double> QUANTILES = List.of(0.5, 0.9, 0.99);
    private static final double PERCENT = 100;

    public PrometheusFormat() {
        super("prometheus", "/metrics of vLLM, SGLang, TensorRT-LLM or Dynamo, in the text format of Prometheus");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return SAMPLE.matcher(file.head()).find()
                || (file.head().startsWith("# HELP ") && file.head().contains("\n# TYPE "));
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
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
        MeasurementBuilder builder = new MeasurementBuilder(name(), metrics.engine() + " /metrics", file.toString());
        metrics.models().forEach(builder::model);
        builder.engine("name", JsonValue.of(metrics.engine()));
        metrics.cache().forEach((name, value) -> builder.setting(name, new LocatedJson(file.toString(), "", value)));
        JsonObjectBuilder ranges = JsonValue.object();
        for (EngineMetrics.Latency latency : EngineMetrics.Latency.values()) {
            metrics.latency(latency).ifPresent(times -> {
                builder.published(
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
        builder.about("samples", ranges.build());
        metrics.figures().forEach(builder::rate);
        builder.outputTokens(Optional.ofNullable(metrics.figures().get("output_tokens_mean")));
        builder.clock("the server's, from the start of the server to the scrape");
        builder.warn(
                "the values are totals since the start of the server: they include its warm-up and all other load");
        builder.warn("histograms give percentiles only within a bucket, so means are compared");
        return builder.done();
    }

    private static String range(Histogram times, double quantile) {
        double[] bucket = times.bucketOf(quantile);
        return Double.isInfinite(bucket[1])
                ? "above " + bucket[0] + " s"
                : "from " + bucket[0] + " to " + bucket[1] + " s";
    }
}
