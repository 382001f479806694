package dev.stagesim.verify.vtc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fair queueing of tenants by virtual token counters (VTC).
 *
 * <p>Every tenant has a counter of the service it got, prompt and output tokens at their prices. The waiting tenant with
 * the least counter goes next; a tenant that comes back from idleness is lifted to the least counter of those that wait,
 * so that nobody saves up service.
 */
public final class FairQueue {
    /**
     * What an engine can take.
     *
     * @param totalTokens tokens of the cache; the most that a batch may come to need stays below
     * @param batchTokens prompt tokens admitted together
     * @param running requests that run at once
     */
    public record Limits(long totalTokens, long batchTokens, int running) {}

    /** Price of a prompt token and of an output token. */
    public record Prices(double input, double output) {}

    /**
     * A request.
     *
     * @param id identity, the caller's
     * @param input prompt tokens
     * @param maxOutput most output tokens it may produce
     */
    public record Request(int id, String tenant, int input, int maxOutput) {}

    private static final class Tenant {
        final double weight;
        final Deque<Request> waiting = new ArrayDeque<>();
        double served;

        Tenant(double weight) {
            this.weight = weight;
        }
    }

    private static final class Running {
        final Tenant tenant;
        final Request request;
        int produced;

        Running(Tenant tenant, Request request) {
            this.tenant = tenant;
            this.request = request;
        }

        Need need() {
            return new Need((long) request.input() + produced, (long) request.maxOutput() - produced - 1);
        }
    }

    /** Tokens that a request holds, and that it may still come to hold. */
    private record Need(long held, long rest) {}

    private final Limits limits;
    private final Prices prices;
    private final Map<String, Double> weights;
    private final Map<String, Tenant> tenants = new LinkedHashMap<>();
    private final List<Running> running = new ArrayList<>();

    /**
     * An empty queue.
     *
     * @param weights share of each tenant, 1 where it is missing
     */
    public FairQueue(Limits limits, Prices prices, Map<String, Double> weights) {
        this.limits = limits;
        this.prices = prices;
        this.weights = Map.copyOf(weights);
        this.weights.forEach((name, weight) -> {
            if (!(weight > 0)) {
                throw new IllegalArgumentException("weight of tenant " + name + " must be above 0, got " + weight);
            }
        });
    }

    /** Puts a request behind those of its tenant. */
    public void append(Request request) {
        Tenant tenant = tenants.computeIfAbsent(request.tenant(), name -> new Tenant(weights.getOrDefault(name, 1.0)));
        if (tenant.waiting.isEmpty()) {
            double least = Double.POSITIVE_INFINITY;
            for (Tenant other : tenants.values()) {
                if (!other.waiting.isEmpty()) {
                    least = Math.min(least, other.served);
                }
            }
            if (least < Double.POSITIVE_INFINITY) {
                tenant.served = Math.max(tenant.served, least);
            }
        }
        tenant.waiting.add(request);
    }

    /** Admits requests, the least served tenant's first, until the next one does not fit; returns them in order. */
    public List<Request> admit() {
        if (running.size() >= limits.running()) {
            return List.of();
        }
        List<Running> admitted = new ArrayList<>();
        List<Need> needs = new ArrayList<>();
        running.forEach(each -> needs.add(each.need()));
        long prompts = 0;
        for (Tenant tenant = next(); tenant != null; tenant = next()) {
            Request request = tenant.waiting.element();
            needs.add(new Need(request.input() + 1L, request.maxOutput() - 1L));
            if (prompts + request.input() > limits.batchTokens() || !fits(needs)) {
                break;
            }
            prompts += request.input();
            tenant.waiting.remove();
            tenant.served += request.input() * prices.input() / tenant.weight;
            admitted.add(new Running(tenant, request));
        }
        running.addAll(admitted);
        return requests(admitted);
    }

    /** The waiting tenant with the least counter, the first known of equals. */
    private @Nullable Tenant next() {
        Tenant least = null;
        for (Tenant tenant : tenants.values()) {
            if (!tenant.waiting.isEmpty() && (least == null || tenant.served < least.served)) {
                least = tenant;
            }
        }
        return least;
    }

    /** Whether the cache holds the batch at its fullest: just before each request ends, longest rest first. */
    private boolean fits(List<Need> needs) {
        needs.sort(Comparator.comparingLong(need -> -need.rest()));
        long held = 0;
        for (int i = 0; i < needs.size(); i++) {
            Need need = needs.get(i);
            held += need.held();
            if (need.rest() * (i + 1) + held >= limits.totalTokens()) {
                return false;
            }
        }
        return needs.size() <= limits.running();
    }

    /** Gives every running request a token and charges its tenant; returns the requests in order of admission. */
    public List<Request> decode() {
        for (Running each : running) {
            each.produced++;
            each.tenant.served += prices.output() / each.tenant.weight;
        }
        return running();
    }

    /** The running requests in order of admission. */
    public List<Request> running() {
        return requests(running);
    }

    private static List<Request> requests(List<Running> list) {
        return list.stream().map(each -> each.request).toList();
    }

    /** Output tokens so far of a running request. */
    public int produced(int id) {
        return running.stream()
                .filter(each -> each.request.id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("request " + id + " does not run"))
                .produced;
    }

    /** Ends a running request. */
    public void end(int id) {
        if (!running.removeIf(each -> each.request.id() == id)) {
            throw new IllegalArgumentException("request " + id + " does not run");
        }
    }

    /** Service each known tenant got, in order of its first request. */
    public Map<String, Double> served() {
        Map<String, Double> served = new LinkedHashMap<>();
        tenants.forEach((name, tenant) -> served.put(name, tenant.served));
        return served;
    }
}
