package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.capacity.QueueProfile;
import java.util.List;
import java.util.Optional;

/**
 * A validated workload of a catalog.
 *
 * @param hiddenSize hidden size of the model
 * @param tuning runtime settings of the workload
 * @param best true if each target runs with its best settings
 * @param phases consecutive phases; at least one
 * @param tree the entry as given, including keys that the product does not use
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

    /** Tensor parallelism, pipeline parallelism, and copies of the model. */
    public record Parallelism(int tp, int pp, int dp) {
        /** Returns the devices of one copy. */
        public int devices() {
            return tp * pp;
        }
    }

    /** Runtime settings. */
    public record Tuning(int microbatch, boolean cudaGraphs, boolean gpuDirect, boolean sriov, String fabric) {}

    /**
     * A period of time with its own load.
     *
     * @param minutes duration
     * @param prompt prompt tokens of a sequence
     * @param generate output tokens; 0 in training
     * @param copies copies of the model
     * @param rate requests per second; empty for the profile's share of capacity
     * @param arrivalVariation coefficient of variation of the inter-arrival times
     * @param serviceVariation coefficient of variation of service times, or empty
     * @param servers concurrent requests; empty for copies times microbatch
     * @param tokensScale factor on throughput
     * @param autoscale factor on the number of machines
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

    /** True if the workload serves requests. A workload without output tokens is training. */
    public boolean isServed() {
        return phases.get(0).generate() > 0;
    }

    public double minutes() {
        return phases.stream().mapToDouble(Phase::minutes).sum();
    }

    /** Returns this entry with other runtime settings. */
    public CatalogEntry with(Tuning other) {
        return new CatalogEntry(name, hiddenSize, layers, parallelism, other, best, phases, tree);
    }
}
