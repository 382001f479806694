package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.capacity.QueueProfile;
import java.util.List;
import java.util.Optional;

/**
 * A workload of a catalog, checked.
 *
 * @param hiddenSize width of the model
 * @param tuning what it says of the runtime
 * @param best whether each target runs with the settings best for it
 * @param phases what happens one after the other; at least one
 * @param tree the entry as it was given, keys of the user's own included
 */
public record CatalogEntry(
        String name,
        long hiddenSize,
        long layers,
        Parallelism parallelism,
        Tuning tuning,
        boolean best,
        List<Phase> phases,
        JsonValue.Obj tree) {
    public CatalogEntry {
        phases = List.copyOf(phases);
    }

    /** Devices that share a layer, groups that share the layers, and copies of the model. */
    public record Parallelism(int tp, int pp, int dp) {
        /** Devices of one copy. */
        public int devices() {
            return tp * pp;
        }
    }

    /** Settings of the runtime. */
    public record Tuning(int microbatch, boolean cudaGraphs, boolean gpuDirect, boolean sriov, String fabric) {}

    /**
     * A stretch of time with its own load.
     *
     * @param minutes how long it lasts
     * @param prompt prompt tokens of a sequence
     * @param generate output tokens; 0 in training
     * @param copies copies of the model
     * @param rate requests per second; empty for the profile's share of capacity
     * @param arrivalVariation coefficient of variation of the gaps
     * @param serviceVariation coefficient of variation of service times, where it is stated
     * @param servers requests served at a time; empty for copies times microbatch
     * @param tokensScale factor on throughput
     * @param autoscale factor on machines
     */
    public record Phase(
            String name,
            double minutes,
            int prompt,
            int generate,
            int copies,
            QueueProfile profile,
            Optional<Double> rate,
            double arrivalVariation,
            Optional<Double> serviceVariation,
            Optional<Long> servers,
            double tokensScale,
            double autoscale) {}

    public String weights() {
        return Plain.object(tree, "precision")
                .flatMap(precision -> Plain.text(precision, "weights"))
                .orElse("");
    }

    /** Whether it serves requests; a workload that generates no tokens is training. */
    public boolean isServed() {
        return phases.get(0).generate() > 0;
    }

    public double minutes() {
        return phases.stream().mapToDouble(Phase::minutes).sum();
    }

    /** The same with other settings of the runtime. */
    public CatalogEntry with(Tuning other) {
        return new CatalogEntry(name, hiddenSize, layers, parallelism, other, best, phases, tree);
    }
}
