package dev.stagesim.sim.serving.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A deployment as BLIS describes it; times are microseconds, names are those of BLIS, and an empty name is its default.
 *
 * @param horizon the run ends before the first event after it; {@link Long#MAX_VALUE} for none
 * @param model name of the model, part of the names of replicas that are added
 * @param nodes pools of nodes that replicas are placed on; none when devices are not modelled
 * @param loadingUs time from a replica's order until it can serve
 * @param warmStart whether the first replicas are loaded from the start
 */
public record BlisConfig(
        int instances,
        long horizon,
        String model,
        BlisEngine engine,
        Admission admission,
        Routing routing,
        Split split,
        Optional<Gateway> gateway,
        Optional<Scaling> scaling,
        List<NodePool> nodes,
        long loadingUs,
        boolean warmStart) {
    /**
     * Who is let in.
     *
     * @param latency time from arrival to the decision
     * @param capacity tokens of a full bucket
     * @param rate tokens a second that fill it
     * @param shedAbove load of an instance above which classes below {@code shedBelow} are refused
     * @param queueLimit waiting requests of a saturated instance
     * @param kvLimit share of blocks used of a saturated instance
     * @param budgets share of the cluster's batch places that a tenant may have in flight
     */
    public record Admission(
            String policy,
            long latency,
            double capacity,
            double rate,
            int shedAbove,
            int shedBelow,
            double queueLimit,
            double kvLimit,
            Map<String, Double> budgets) {}

    /**
     * Who serves a request.
     *
     * @param latency time from admission to the decision
     * @param prefill scorers of the prefill pool; the common router when empty
     * @param decode scorers of the decode pool; the common router when empty
     * @param refreshUs age from which on scraped signals are read again; 0 for always fresh
     * @param cacheDelayUs the same of what the caches hold
     */
    public record Routing(
            String policy,
            long latency,
            List<Scorer> scorers,
            List<Scorer> prefill,
            List<Scorer> decode,
            long refreshUs,
            long cacheDelayUs) {}

    /** A scorer and its weight. */
    public record Scorer(String name, double weight) {}

    /**
     * Pools: the first instances compute prompts, the next generate, then those that do both, then those that encode images.
     *
     * @param decider {@code always}, {@code never} or {@code prefix-threshold}
     * @param threshold uncached prompt tokens above which a request is split
     * @param bytesPerUs bandwidth of a transfer
     * @param contends whether transfers share the bandwidth
     */
    public record Split(
            int prefill,
            int decode,
            int shared,
            int encode,
            String encodeDecider,
            String decider,
            int threshold,
            double bytesPerUs,
            double baseUs,
            boolean contends,
            double bytesPerToken) {
        boolean isOn() {
            return prefill > 0 || decode > 0 || shared > 0;
        }
    }

    /**
     * The queue in front of the router.
     *
     * @param detector {@code utilization}, {@code concurrency} or {@code never}
     * @param byDeadline whether a tenant's requests go by deadline instead of arrival
     * @param targets time of each class in which it should be served
     * @param maxDepth requests that may wait; 0 for any number
     * @param bandCapacity requests of one priority that may wait; 0 for any number
     * @param usageLimit saturation from which on the lowest band is closed
     * @param isRoundRobin whether tenants take turns
     * @param ttl time after which a waiting request is removed; 0 for never
     * @param sheds whether a full queue drops a sheddable request for a newcomer
     * @param tick time between two attempts to dispatch
     * @param evicts whether dispatched sheddable requests are cancelled under saturation
     */
    public record Gateway(
            String detector,
            boolean byDeadline,
            Map<String, Long> targets,
            int maxDepth,
            double queueThreshold,
            double kvThreshold,
            int maxConcurrency,
            int bandCapacity,
            double usageLimit,
            boolean isRoundRobin,
            long ttl,
            boolean sheds,
            long tick,
            boolean evicts) {}

    /**
     * The saturation analyser.
     *
     * @param scrapeDelay time from a decision until it is carried out
     * @param upWindow time that the signal to grow must last
     * @param downWindow time that the signal to shrink must last
     * @param kvThreshold share of a replica's tokens that counts as supply
     * @param upThreshold utilisation above which replicas are added
     * @param downBoundary utilisation that must hold after one is removed
     * @param promptTokens tokens that a waiting request counts
     */
    public record Scaling(
            long interval,
            long scrapeDelay,
            long upWindow,
            long downWindow,
            double kvThreshold,
            double upThreshold,
            double downBoundary,
            double promptTokens) {}

    /** Equal nodes; all that it starts with are ready. */
    public record NodePool(String gpu, int gpusPerNode, int nodes, double costPerHour) {}
}
