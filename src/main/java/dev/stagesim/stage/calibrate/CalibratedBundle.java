package dev.stagesim.stage.calibrate;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleLayout;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.ScaledTable;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.settings.CalibrateSettings.Term;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes a bundle whose times are those of another, multiplied and with the host's times that were fitted. */
final class CalibratedBundle {
    private static final double MS_PER_S = 1e3;
    private static final int LEAST_BATCH = 256;

    private final CalibrateStageSettings settings;
    private final Coefficients coefficients;

    CalibratedBundle(CalibrateStageSettings settings, Coefficients coefficients) {
        this.settings = settings;
        this.coefficients = coefficients;
    }

    void write(Path from, Path to, BundleRequest request) throws IOException {
        Bundle bundle = BundleReader.read(from, request.withHostOverheads(false));
        for (Path file : bundle.files()) {
            Path target = to.resolve(from.relativize(file).toString());
            Path dir = target.getParent();
            if (dir != null) {
                Files.createDirectories(dir);
            }
            ScaledTable.copy(file, target, this::factor);
        }
        host(to, bundle.device());
    }

    /** Factor of a column: of times of an operator that its factor is for. */
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

    private void host(Path to, String device) throws IOException {
        int degree = settings.cluster().tensorParallelSize();
        List<BundleRow.Host> rows = new ArrayList<>();
        int most = Math.max(LEAST_BATCH, settings.scheduler().batchSizeCap());
        for (int batch = 1; batch < 2 * most; batch *= 2) {
            List<Stats> steps = new ArrayList<>();
            for (String step : BundleTables.HOST_STEPS) {
                double seconds = step.equals("schedule")
                        ? coefficients.of(Term.STEP) + batch * coefficients.of(Term.STEP_REQUEST)
                        : 0;
                steps.add(Stats.exact(seconds * MS_PER_S));
            }
            rows.add(new BundleRow.Host(degree, batch, steps, 0));
        }
        BundleWriter writer = new BundleWriter(
                to,
                settings.model(),
                device,
                BundleLayout.slug(settings.hardware().name()));
        writer.hostOverheads(rows);
        writer.requestOverheads(degree, coefficients.of(Term.REQUEST) * MS_PER_S);
    }
}
