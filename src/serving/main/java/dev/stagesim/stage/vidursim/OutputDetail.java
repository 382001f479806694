package dev.stagesim.stage.vidursim;

import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.SimulationSettings;
import java.util.Locale;
import java.util.Optional;

/**
 * Level of detail of the output for tokens and batches: one row each, or distributions.
 *
 * @param tokens whether {@code token_metrics.csv} is written
 * @param batches whether {@code batch_metrics.csv} is written
 * @param series whether {@code load_series.csv} is written
 * @param spread whether {@code token_times.csv} is written
 * @param notice message about rows that are left out by default
 */
record OutputDetail(boolean tokens, boolean batches, boolean series, boolean spread, Optional<String> notice) {
    /** Returns the level of detail for the settings and the size of the workload. */
    static OutputDetail of(VidurSimSettings settings, long outputTokens) {
        OutputSettings output = settings.output();
        SimulationSettings simulation = settings.simulation();
        boolean isLarge = output.detail() == OutputSettings.Detail.AUTO && outputTokens > output.fullUpTo();
        boolean isSummary = isLarge || output.detail() == OutputSettings.Detail.SUMMARY;
        boolean tokens = simulation.tokenMetrics().orElse(!isSummary);
        boolean batches = simulation.batchMetrics().orElse(!isSummary);
        String left = (simulation.tokenMetrics().isEmpty() ? "token_metrics.csv" : "")
                + (simulation.tokenMetrics().isEmpty()
                                && simulation.batchMetrics().isEmpty()
                        ? " and "
                        : "")
                + (simulation.batchMetrics().isEmpty() ? "batch_metrics.csv" : "");
        return new OutputDetail(
                tokens,
                batches,
                isSummary || simulation.report(),
                isSummary && !tokens,
                isLarge && !left.isEmpty()
                        ? Optional.of("leaves out " + left + " because the workload has "
                                + String.format(Locale.ROOT, "%,d", outputTokens) + " output tokens"
                                + ", more than output.full_up_to=" + output.fullUpTo()
                                + (tokens ? "" : "; token_times.csv has their distributions")
                                + "; output.detail=full writes every row")
                        : Optional.empty());
    }
}
