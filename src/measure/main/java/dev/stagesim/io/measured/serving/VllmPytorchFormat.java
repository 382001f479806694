package dev.stagesim.io.measured.serving;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The {@code *.pytorch.json} that vLLM's benchmarks write for PyTorch's benchmark database, in addition to their results:
 * one record per metric, aggregates in ms. The result file has more detail.
 */
public final class VllmPytorchFormat extends ResultFormat {
    public VllmPytorchFormat() {
        super("vllm_pytorch", "*.pytorch.json of vLLM's benchmarks: records for PyTorch's benchmark database");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.first()
                .filter(LocatedJson::isArray)
                .map(LocatedJson::items)
                .filter(items -> !items.isEmpty())
                .map(items -> items.get(0))
                .filter(first -> first.isObject()
                        && first.has("benchmark")
                        && first.has("metric")
                        && first.get("metric").has("benchmark_values"))
                .isPresent();
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "the file has the aggregates of one run");
        List<LocatedJson> records = ResultFile.document(file).items();
        if (records.isEmpty()) {
            throw StageException.input(Problem.artifact(file.toString(), "contains no record"));
        }
        LocatedJson first = records.get(0);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "vLLM's benchmarks", file.toString());
        builder.model(first.find("model", "name"));
        builder.engine("name", JsonValue.of("vLLM"));
        first.get("benchmark").find("extra_info", "args").ifPresent(builder::settings);
        builder.means("tpot", VllmAggregates.TPOT).means("token_gap", VllmAggregates.TOKEN_GAP);
        for (LocatedJson record : records) {
            LocatedJson metric = record.get("metric");
            List<LocatedJson> values = metric.get("benchmark_values").items();
            if (!values.isEmpty()) {
                VllmAggregates.take(builder, metric.get("name").asString(), values.get(values.size() - 1));
            }
        }
        builder.warn(
                "if there is a result file next to the *.pytorch.json, read it instead: it may contain the requests");
        return builder.done();
    }
}
