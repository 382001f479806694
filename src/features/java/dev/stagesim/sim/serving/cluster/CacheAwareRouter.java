package dev.stagesim.sim.serving.cluster;

import java.util.List;
import java.util.Map;

/**
 * Sends a request to the worker that is believed to have most of its text cached, unless loads are far apart, as SGLang's
 * model gateway does under {@code cache_aware}.
 */
public final class CacheAwareRouter {
    /**
     * When prefixes decide.
     *
     * @param matchShare share of a text above which the worker that has it gets the request
     * @param loadDifference difference of the greatest and the least load above which loads may decide
     * @param loadRatio ratio of the greatest to the least load above which loads decide, with the difference
     */
    public record Thresholds(double matchShare, double loadDifference, double loadRatio) {
        /** Those of the gateway in August 2026. */
        public static final Thresholds DEFAULT = new Thresholds(0.5, 32, 1.1);

        public Thresholds {
            if (!(matchShare >= 0 && matchShare <= 1)) {
                throw new IllegalArgumentException("the share of a match is from 0 to 1, got " + matchShare);
            }
        }
    }

    /**
     * A worker as the router sees it.
     *
     * @param load requests sent to it and not done
     */
    public record Worker(String name, int load, boolean isHealthy) {}

    private final Thresholds thresholds;
    private final PrefixTree tree = new PrefixTree();

    public CacheAwareRouter(Thresholds thresholds) {
        this.thresholds = thresholds;
    }

    /**
     * Chooses a worker.
     *
     * @param workers all of them in a fixed order
     * @throws IllegalArgumentException when no worker is healthy
     */
    public Worker choose(String text, List<Worker> workers) {
        List<Worker> healthy = workers.stream().filter(Worker::isHealthy).toList();
        if (healthy.isEmpty()) {
            throw new IllegalArgumentException("no worker is healthy");
        }
        Worker chosen = leastLoaded(healthy);
        if (!isImbalanced(workers)) {
            PrefixTree.Found found = tree.match(text);
            String owner = found.worker();
            if (owner != null && found.matched() > 0 && share(found) > thresholds.matchShare()) {
                for (Worker worker : healthy) {
                    if (worker.name().equals(owner)) {
                        tree.insert(owner, text);
                        return worker;
                    }
                }
                tree.remove(owner);
                return healthy.get(0);
            }
        }
        tree.insert(chosen.name(), text);
        return chosen;
    }

    private static double share(PrefixTree.Found found) {
        return (double) found.matched() / found.input();
    }

    private boolean isImbalanced(List<Worker> workers) {
        int least = workers.stream().mapToInt(Worker::load).min().orElse(0);
        int most = workers.stream().mapToInt(Worker::load).max().orElse(0);
        return most - least > thresholds.loadDifference() && most > thresholds.loadRatio() * least;
    }

    private static Worker leastLoaded(List<Worker> workers) {
        Worker least = workers.get(0);
        for (Worker worker : workers) {
            least = worker.load() < least.load() ? worker : least;
        }
        return least;
    }

    /** Forgets texts of workers with more than {@code limit} characters; the gateway does so every 30 s with 10,000. */
    public void evict(int limit) {
        tree.evict(limit);
    }

    /** Characters that the router believes each worker to have. */
    public Map<String, Integer> sizes() {
        return tree.sizes();
    }
}
