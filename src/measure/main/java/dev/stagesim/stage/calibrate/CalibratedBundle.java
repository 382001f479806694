package dev.stagesim.stage.calibrate;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.ScaledTable;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.model.PathPart;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.ScaledTimes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a bundle with the times of another bundle, scaled by the fitted factors, and with the fitted host times.
 */
record CalibratedBundle(CalibrateStageSettings settings, Coefficients coefficients, int layers) {
    private static final double MS_PER_S = 1e3;
    private static final int MIN_BATCH = 256;

    void write(Path from, Path to, BundleRequest request) throws IOException {
        Bundle bundle = BundleReader.read(from, request.withHostOverheads(false));
        for (Path file : bundle.files()) {
            Path target = OutputFile.in(to, from.relativize(file).toString());
            ScaledTable.copy(file, target, this::factor, this::added);
        }
        host(to, bundle.device());
    }

    /** Returns the factor of a column, if it contains times of an operator with a fitted factor. */
    private double factor(String column) {
        if (!column.startsWith("time_stats.")) {
            return 1;
        }
        String operator = column.split("\\.", 0)[1];
        return switch (operator) {
            case "attn_prefill" -> coefficients.of(Term.PREFILL_ATTENTION);
            case "attn_decode" -> coefficients.of(Term.DECODE_ATTENTION);
            default -> coefficients.of(Term.LINEAR);
        };
    }

    /** Returns the time per token, or per cached token, that is added to a column, in ms. */
    private ScaledTable.Slope added(String column) {
        if (column.endsWith(".std")) {
            return ScaledTable.Slope.NONE;
        }
        if (column.startsWith("time_stats." + ScaledTimes.PER_TOKEN.column() + ".")) {
            return new ScaledTable.Slope(List.of("num_tokens"), coefficients.of(Term.TOKEN) * MS_PER_S / layers);
        }
        return column.startsWith("time_stats." + Operator.ATTN_DECODE.column() + ".")
                ? new ScaledTable.Slope(
                        List.of("batch_size", "kv_cache_size"), coefficients.of(Term.CACHED_TOKEN) * MS_PER_S / layers)
                : ScaledTable.Slope.NONE;
    }

    private void host(Path to, String device) throws IOException {
        int degree = settings.serving().cluster().tensorParallelSize();
        List<BundleRow.Host> rows = new ArrayList<>();
        int max = Math.max(MIN_BATCH, settings.serving().scheduler().batchSizeCap());
        for (int batch = 1; batch < 2 * max; batch *= 2) {
            List<Stats> steps = new ArrayList<>();
            for (String step : BundleTables.HOST_STEPS) {
                double seconds = step.equals("schedule")
                        ? coefficients.stepSeconds() + batch * coefficients.of(Term.STEP_REQUEST)
                        : 0;
                steps.add(Stats.exact(seconds * MS_PER_S));
            }
            rows.add(new BundleRow.Host(degree, batch, steps, 0));
        }
        BundleWriter writer = new BundleWriter(
                to, settings.model(), device, PathPart.slug(settings.hardware().name()));
        writer.hostOverheads(rows);
        writer.requestOverheads(degree, coefficients.of(Term.REQUEST) * MS_PER_S);
    }
}
