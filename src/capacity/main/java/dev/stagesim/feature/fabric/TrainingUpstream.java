package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.performance.TrainingStepSpec;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.stage.Upstream;
import java.util.List;
import java.util.Optional;

/** The astra_sim run that simulates the step of a training workload on the stated devices. */
final class TrainingUpstream {
    static final String ROLE = "train";

    private TrainingUpstream() {}

    /** True if a run is given, or if the step has communication to simulate. */
    static boolean isNeeded(FabricStageSettings settings, CatalogEntry entry) {
        return settings.machines().source() == Source.SIMULATED
                && !entry.isServed()
                && (settings.runs().train().dir().isPresent()
                        || plan(settings, entry).isWorthwhile());
    }

    /** Returns the run; empty if the step cannot be simulated, which the plan reports. */
    static Optional<Upstream> of(FabricStageSettings settings, CatalogEntry entry) {
        if (!isNeeded(settings, entry)) {
            return Optional.empty();
        }
        Upstream run = new Upstream(
                ROLE,
                "astra_sim",
                List.of("astra_sim"),
                "train.dir",
                settings.runs().train().dir());
        if (settings.runs().train().dir().isPresent()) {
            return Optional.of(run);
        }
        return Optional.of(run.with(plan(settings, entry).changes()));
    }

    /** Returns the step of a job with as many model copies as fit on the nodes that the workload requires. */
    static TrainingStepSpec plan(FabricStageSettings settings, CatalogEntry entry) {
        CatalogEntry.Parallelism spread = entry.parallelism();
        int perNode = settings.machines().target().acceleratorsPerNode();
        int nodes = (spread.devices() * spread.dp() + perNode - 1) / perNode;
        return TrainingStepSpec.of(
                settings.model(),
                settings.machines().target(),
                settings.runs().train().efficiency(),
                spread.tp(),
                spread.pp(),
                nodes * perNode / spread.devices(),
                entry.tuning().microbatch(),
                entry.phases().get(0).prompt());
    }
}
