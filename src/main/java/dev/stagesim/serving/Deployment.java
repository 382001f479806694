package dev.stagesim.serving;

import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A model on devices under a scheduler: the settings that decide how long its steps take and what runs in them.
 *
 * @param model the model
 * @param hardware the device
 * @param predictor how operator times follow from the bundle
 * @param scheduler how batches are formed
 * @param cluster how many devices there are and how they share the model
 * @param overheads what is added to operator times
 * @param maxTokens longest sequence that memory is planned for; empty for the longest request
 * @param timeLimit when the simulation stops, in seconds; empty for never
 * @param compat whose numbers are reproduced
 */
public record Deployment(
        ModelCard model,
        HardwareCard hardware,
        PredictorSettings predictor,
        SchedulerSettings scheduler,
        ClusterSettings cluster,
        SimulationSettings.Overheads overheads,
        Optional<Integer> maxTokens,
        Optional<Double> timeLimit,
        Compat compat) {
    private static final double MS_PER_S = 1e3;

    /**
     * Checks the settings that need no bundle.
     *
     * @throws dev.stagesim.model.StageException (input) when the model cannot be split over the cluster, or no scheduler is like that
     */
    public void check() {
        // the specification checks itself
        Specs.of(this, 1, false, 0);
    }

    /**
     * What the simulator needs to know besides requests and times.
     *
     * @param bundle the profiling bundle; not read when the times come from tables
     */
    public ServingSpec spec(int longestRequest, boolean host, Path bundle) throws IOException {
        double requestMs = host && !hasTables() ? BundleTimes.requestMs(this, bundle) : 0;
        return Specs.of(this, longestRequest, host, requestMs / MS_PER_S);
    }

    /** Whether the times come from tables instead of a bundle. */
    public boolean hasTables() {
        return predictor instanceof PredictorSettings.Tables;
    }

    /**
     * Whether steps take the host's time as well: as told, else when there are times for it, which Vidur does not use.
     *
     * @param bundle the profiling bundle; not read when the times come from tables
     */
    public boolean addsHost(Path bundle) throws IOException {
        Optional<Boolean> told = overheads.host();
        if (told.isPresent() || compat == Compat.VIDUR) {
            return told.orElse(false);
        }
        return predictor instanceof PredictorSettings.Tables tables
                ? TimesFolder.file(tables.dir(), Operator.SCHEDULE).isPresent()
                : BundleTimes.hasHost(this, bundle);
    }

    /**
     * Operator times of the bundle, or of tables.
     *
     * @param bundle the profiling bundle; not read when the times come from tables
     * @param warn hears what a person should know
     * @param cache where what was trained is kept
     */
    public OperatorTimes times(boolean host, Path bundle, Consumer<String> warn, Optional<Path> cache)
            throws IOException {
        if (predictor instanceof PredictorSettings.Tables tables) {
            return GivenTables.read(this, tables, host);
        }
        return BundleTimes.read(this, host, bundle, warn, cache);
    }
}
