package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.SplitwiseTask.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Splitwise's cluster: prompts and later tokens on instances of their own, or together, with a transfer in between.
 *
 * <p>Times are seconds. A transfer waits for room at its destination, asking again every second; of transfers that ask
 * at once the one goes first that would in Splitwise's own simulator.
 */
public final class SplitwiseCluster implements SplitwiseInstance.Listener {
    /** How instances are chosen. */
    public enum Rule {
        ROUND_ROBIN,
        JSQ,
        TOKEN_JSQ,
        MIXED_POOL
    }

    /**
     * What a cluster is made of.
     *
     * @param rule how instances are chosen
     * @param promptServers instances for prompts alone, the first ones; 0 when all do both
     * @param tokenServers those for later tokens alone, which follow
     * @param batchSize most tasks of a batch
     * @param batchTokens most tokens of a batch
     * @param preemptions times that a task stands in line before it goes first; less than 0 when batches only grow
     * @param bandwidth bytes a second of a transfer
     * @param pendingTokens tokens that prompts wait behind, at most, in a mixed pool
     * @param tokenBytes keys and values of a token
     */
    public record Config(
            Rule rule,
            int promptServers,
            int tokenServers,
            int batchSize,
            int batchTokens,
            int preemptions,
            double bandwidth,
            long pendingTokens,
            long tokenBytes) {}

    private static final double RETRY_SECONDS = 1;

    private final Config config;
    private final BinaryHeapEvents events = new BinaryHeapEvents();
    private final List<SplitwiseInstance> all = new ArrayList<>();
    private final List<SplitwiseInstance> prompts = new ArrayList<>();
    private final List<SplitwiseInstance> tokens = new ArrayList<>();
    private final List<SplitwiseInstance> mixed = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private final List<Request> completed = new ArrayList<>();
    private int nextPrompt;
    private int nextToken;
    private double now;

    /** A cluster of the devices, in their order; those behind the servers of both kinds are left alone. */
    public SplitwiseCluster(Config config, List<SplitwiseInstance.Device> devices) {
        this.config = config;
        SplitwiseInstance.Limits limits =
                new SplitwiseInstance.Limits(config.batchSize(), config.batchTokens(), config.preemptions());
        int servers = config.promptServers() == 0
                ? devices.size()
                : Math.min(devices.size(), config.promptServers() + config.tokenServers());
        for (SplitwiseInstance.Device device : devices.subList(0, servers)) {
            SplitwiseInstance instance = new SplitwiseInstance(all.size(), device, limits, this);
            all.add(instance);
            (all.size() <= config.promptServers() ? prompts : tokens).add(instance);
        }
    }

    /** Adds a request; those of a run have different arrivals. */
    public void add(double arrival, int prompt, int output) {
        Request request = new Request(requests.size(), arrival, prompt, output, config.tokenBytes());
        requests.add(request);
        after(arrival, () -> arrive(request));
    }

    /** Runs until nothing is left to do; returns the time of the last event. */
    public double run() {
        while (!events.isEmpty()) {
            BinaryHeapEvents.Event event = events.take();
            now = event.time();
            event.action().run();
        }
        return now;
    }

    public List<Request> requests() {
        return requests;
    }

    /** Requests in the order in which they were done. */
    public List<Request> completed() {
        return completed;
    }

    public List<SplitwiseInstance> instances() {
        return all;
    }

    /** Does something later; at once when that is now. */
    private void after(double seconds, Runnable action) {
        if (seconds == 0) {
            action.run();
        } else {
            events.add(now + seconds, action);
        }
    }

    @Override
    public void wake(SplitwiseInstance instance, double after, long turn) {
        after(after, () -> {
            if (instance.isDue(turn)) {
                instance.ended(now);
            }
        });
    }

    private void arrive(Request request) {
        SplitwiseInstance first;
        SplitwiseInstance second;
        if (config.rule() == Rule.MIXED_POOL) {
            SplitwiseInstance[] pair = mixedPair(request);
            first = pair[0];
            second = pair[1];
        } else if (config.promptServers() == 0) {
            first = next(all, nextPrompt++);
            second = first;
            first.pendingTokens += config.rule() == Rule.TOKEN_JSQ ? request.prompt.length + 1 : 0;
        } else {
            first = next(prompts, nextPrompt++);
            second = next(tokens, nextToken++);
        }
        request.tokens.instance = second;
        first.arrive(request.prompt, now);
        if (first == second) {
            first.arrive(request.tokens, now);
        }
    }

    private SplitwiseInstance next(List<SplitwiseInstance> from, int turn) {
        return switch (config.rule()) {
            case ROUND_ROBIN -> from.get(turn % from.size());
            case JSQ -> least(from.stream(), Comparator.comparingInt(SplitwiseInstance::requests));
            default -> leastPending(from.stream());
        };
    }

    /** The least of some instances, the first of equals. */
    private static SplitwiseInstance least(Stream<SplitwiseInstance> from, Comparator<SplitwiseInstance> order) {
        return from.min(order).orElseThrow();
    }

    private static SplitwiseInstance leastPending(Stream<SplitwiseInstance> from) {
        return least(from, Comparator.comparingLong(instance -> instance.pendingTokens));
    }

    private static SplitwiseInstance leastReserved(Stream<SplitwiseInstance> from) {
        return least(from, Comparator.comparingLong(instance -> instance.reserved));
    }

    /** Instances of the pools, or of the mixed one; where both are too loaded one of the other pool, which becomes mixed. */
    private SplitwiseInstance[] mixedPair(Request request) {
        long memory = request.prompt.memory() + request.tokens.memory();
        List<SplitwiseInstance> forPrompt = Stream.of(prompts, mixed)
                .filter(pool -> !pool.isEmpty())
                .map(pool -> leastPending(pool.stream()))
                .filter(one -> !one.hasLine() || one.pendingTokens + request.prompt.length <= config.pendingTokens())
                .toList();
        List<SplitwiseInstance> forTokens = Stream.of(tokens, mixed)
                .filter(pool -> !pool.isEmpty())
                .map(pool -> leastReserved(pool.stream()))
                .filter(one -> one.reserved + memory < one.memory())
                .toList();
        List<SplitwiseInstance> pair = new ArrayList<>(2);
        if (!forPrompt.isEmpty()) {
            pair.add(forPrompt.get(0));
        } else if (!tokens.isEmpty()) {
            pair.add(moved(leastPending(tokens.stream()), tokens));
        }
        boolean hasPrompt = !pair.isEmpty();
        if (!forTokens.isEmpty()) {
            pair.add(forTokens.get(0));
        } else if (!prompts.isEmpty()) {
            pair.add(moved(leastReserved(prompts.stream()), prompts));
        }
        if (!hasPrompt || pair.size() < 2) {
            SplitwiseInstance one =
                    leastPending(Stream.of(prompts, mixed, tokens).flatMap(List::stream));
            pair = List.of(one, one);
        }
        SplitwiseInstance first = pair.get(0);
        SplitwiseInstance second = pair.get(1);
        first.reserved += first == second ? 0 : request.prompt.memory();
        second.reserved += memory;
        first.pendingTokens += request.prompt.length;
        second.pendingTokens++;
        return new SplitwiseInstance[] {first, second};
    }

    private SplitwiseInstance moved(SplitwiseInstance instance, List<SplitwiseInstance> from) {
        from.remove(instance);
        mixed.add(instance);
        return instance;
    }

    @Override
    public void isFree(SplitwiseInstance instance) {
        if (mixed.remove(instance)) {
            (instance.number() < config.promptServers() ? prompts : tokens).add(instance);
        }
    }

    @Override
    public void ended(SplitwiseTask task, double at) {
        Request request = task.request;
        if (!task.isPrompt) {
            request.end = at;
            completed.add(request);
        } else if (request.tokens.instance != task.instance) {
            request.transferArrival = at;
            transfer(request);
        }
    }

    private void transfer(Request request) {
        SplitwiseInstance from = request.prompt.instance;
        SplitwiseInstance to = request.tokens.instance;
        if (from == null || to == null) {
            throw new IllegalStateException("a transfer has two ends");
        }
        if (!to.hasRoom(request.memory)) {
            after(RETRY_SECONDS, () -> transfer(request));
            return;
        }
        request.transferStart = now;
        to.take(request.memory);
        after(request.transferBytes() / config.bandwidth(), () -> {
            request.transferEnd = now;
            from.release(request.memory);
            to.arrive(request.tokens, now);
            from.transferEnded(now);
        });
    }
}
