package dev.stagesim.stage.vidursim;

import dev.stagesim.settings.OutputSettings;
import dev.stagesim.settings.SimulationSettings;
import java.util.Locale;
import java.util.Optional;

/**
 * What a run writes of single tokens and batches: rows of each, or their distributions.
 *
 * @param tokens whether {@code token_metrics.csv} is written
 * @param batches whether {@code batch_metrics.csv} is written
 * @param series whether {@code load_series.csv} is written
 * @param spread whether {@code token_times.csv} is written
 * @param said what the user did not ask for and is to know
 */
record Detail(boolean tokens, boolean batches, boolean series, boolean spread, Optional<String> said) {
    /** Decides by the settings and by the size of the workload. */
    static Detail of(VidurSimSettings settings, long outputTokens) {
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
        return new Detail(
                tokens,
                batches,
                isSummary || simulation.report(),
                isSummary && !tokens,
                isLarge && !left.isEmpty()
                        ? Optional.of("leaves out " + left + ", the workload having "
                                + String.format(Locale.ROOT, "%,d", outputTokens) + " output tokens"
                                + ", more than output.full_up_to=" + output.fullUpTo()
                                + (tokens ? "" : "; token_times.csv has their distribution")
                                + "; output.detail=full writes every row")
                        : Optional.empty());
    }
}
