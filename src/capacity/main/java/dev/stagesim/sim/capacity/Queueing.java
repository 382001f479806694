package dev.stagesim.sim.capacity;

import dev.stagesim.sim.core.RealMath;
import java.util.Optional;

/** The waiting time of requests before equal servers, by approximations for general arrivals and service. */
public final class Queueing {
    private static final double MAX_LOAD = 0.999;
    private static final double SATURATED = 0.99;
    private static final double SATURATED_AS = 0.98;
    private static final double MIN_VARIATION = 0.1;
    private static final double MAX_VARIATION = 5.0;

    private Queueing() {}

    /**
     * The demand of a phase.
     *
     * @param requestTokens prompt and output tokens of a request
     * @param rate requests per second; 0 or less for the profile's share of capacity
     * @param servers requests served concurrently
     * @param arrivalVariation coefficient of variation of the interarrival times
     * @param serviceVariation coefficient of variation of service times
     */
    public record Demand(
            long requestTokens,
            double rate,
            QueueProfile profile,
            long servers,
            double arrivalVariation,
            double serviceVariation) {}

    /** Waiting times and their contribution to the latencies of a service. */
    public record Waiting(
            double arrivalRate,
            long servers,
            double serviceMeanMs,
            double serviceVariation,
            double arrivalVariation,
            double utilization,
            Times latencies,
            Times waits,
            double waitingFractionP99) {}

    /** Percentiles of a time, and its mean up to the first token. */
    public record Times(double p50Ms, double p95Ms, double p99Ms, double ttftMs) {}

    /** Returns the waiting times before a service; empty if nothing arrives. */
    public static Optional<Waiting> of(Demand demand, CapacityFigures service) {
        double tokens = service.tokensPerSecond();
        if (tokens <= 0 || demand.requestTokens() <= 0) {
            return Optional.empty();
        }
        double mean = demand.requestTokens() / tokens * 1000.0;
        double rate = demand.rate();
        if (rate <= 0) {
            rate = tokens
                    / Math.max(1, demand.requestTokens())
                    * demand.profile().load();
        }
        double single = Math.min(MAX_LOAD, rate * mean / 1000.0);
        if (single <= 0) {
            return Optional.empty();
        }
        long servers = Math.max(1, demand.servers());
        double load = Math.min(MAX_LOAD, single / servers);
        if (load >= SATURATED) {
            mean *= load / SATURATED_AS;
            load = SATURATED_AS;
        }
        double arrival = bounded(demand.arrivalVariation());
        double serving = bounded(demand.serviceVariation());
        double wait = wait(arrival, serving, load, servers, mean);
        return Optional.of(waiting(rate, servers, mean, serving, arrival, load, wait, service));
    }

    private static double bounded(double variation) {
        return Math.max(MIN_VARIATION, Math.min(MAX_VARIATION, variation));
    }

    private static double wait(double arrival, double serving, double load, long servers, double mean) {
        double arrivalSquare = arrival * arrival;
        double servingSquare = serving * serving;
        if (servers == 1) {
            return (arrivalSquare + servingSquare) / 2.0 * (load / (1.0 - load)) * mean;
        }
        double both = (Math.sqrt(arrivalSquare) + Math.sqrt(servingSquare)) / 2.0;
        return both * new RealMath().pow(load, Math.sqrt(2.0 * (servers + 1))) / (1.0 - load) * mean;
    }

    private static Waiting waiting(
            double rate,
            long servers,
            double mean,
            double serving,
            double arrival,
            double load,
            double wait,
            CapacityFigures service) {
        double p50 = Math.max(0.0, Math.min(wait, service.p50Ms() * 0.5));
        double p95 = Math.min(Math.max(wait * 1.5, p50), service.p95Ms() * 0.8);
        double p99 = Math.min(Math.max(wait * 2.0, p95), service.p99Ms() * 0.9);
        double p99Latency = service.p99Ms() + p99;
        return new Waiting(
                rate,
                servers,
                mean,
                serving,
                arrival,
                load,
                new Times(service.p50Ms() + p50, service.p95Ms() + p95, p99Latency, service.ttftMs() + p50),
                new Times(p50, p95, p99, p50),
                p99Latency > 0 ? p99 / p99Latency : 0.0);
    }
}
