package dev.stagesim.sweep.search;

import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.launch.SearchOracle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Queries a stage for the metrics of candidates, on several threads, and caches the results. */
final class SimulationPool implements AutoCloseable {
    /** Metric: the number of requests of a run, which is a power of two times the configured one. */
    static final String COUNT = "requests";

    private static final long DEFAULT_SEED = 42;
    private static final long MAX_REPETITIONS = 32;

    /** One result, or the reason why there is none. */
    record Answer(int candidate, double load, int seed, SortedMap<String, Double> figures, String refused) {}

    private final SearchOracle oracle;
    private final Stage<?> stage;
    private final LoadKey loadKey;
    private final String seedKey;
    private final ExecutorService pool;
    private final AtomicInteger queries = new AtomicInteger();
    private final AtomicInteger reused = new AtomicInteger();
    private final Journal journal;
    private final Map<Integer, List<Answer>> answersByCandidate = new TreeMap<>();
    private final Progress progress;

    /** Receives the number of results. */
    @FunctionalInterface
    interface Progress {
        void answered(int count);
    }

    /**
     * Starts the threads.
     *
     * @param loadKey the key of the load, or {@link LoadKey#NONE}
     */
    SimulationPool(
            SearchOracle oracle,
            Stage<?> stage,
            LoadKey loadKey,
            String seedKey,
            int threads,
            Journal journal,
            Progress progress) {
        this.journal = journal;
        this.oracle = oracle;
        this.stage = stage;
        this.loadKey = loadKey;
        this.seedKey = seedKey;
        this.progress = progress;
        this.pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "search");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Runs tasks in parallel. The results are in the order of the tasks. */
    <T> List<T> parallel(List<? extends Callable<T>> tasks) {
        List<Future<T>> futures = new ArrayList<>();
        tasks.forEach(task -> futures.add(pool.submit(task)));
        List<T> results = new ArrayList<>();
        try {
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("a search was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Returns the metrics of a candidate at a load with seed number {@code seed}. Runs on the caller's thread. */
    Answer query(Candidate candidate, double load, int seed) {
        Answer answer = journal.find(candidate.num(), load, seed)
                .map(figures -> {
                    reused.incrementAndGet();
                    return new Answer(candidate.num(), load, seed, figures, "");
                })
                .orElseGet(() -> simulate(candidate, load, seed));
        synchronized (answersByCandidate) {
            answersByCandidate
                    .computeIfAbsent(candidate.num(), num -> new ArrayList<>())
                    .add(answer);
        }
        progress.answered(queries.incrementAndGet());
        return answer;
    }

    private Answer simulate(Candidate candidate, double load, int seed) {
        RunRequest request = candidate.request().orElseThrow();
        Map<String, Object> changes = loadKey.changes(request, load);
        if (seed > 0) {
            changes.put(seedKey, baseSeed(request) + seed);
        }
        SearchOracle.Reply reply = untilDecided(request, changes);
        if (reply.refused().isEmpty()) {
            journal.add(candidate.num(), load, seed, reply.figures());
        }
        return new Answer(candidate.num(), load, seed, reply.figures(), reply.refused());
    }

    /** Repeats a run with twice the requests while it is too short to show whether the load is sustained. */
    private SearchOracle.Reply untilDecided(RunRequest request, Map<String, Object> changes) {
        Optional<Long> requests = loadKey.isRate() ? LoadKey.integer(request, LoadKey.REQUESTS) : Optional.empty();
        SearchOracle.Reply reply = oracle.query(stage, request.with(changes));
        if (requests.isEmpty() || !reply.figures().containsKey(CapacitySearch.TOO_SHORT)) {
            return reply;
        }
        long count = requests.get();
        while (CapacitySearch.isTooShort(reply.figures()) && count < MAX_REPETITIONS * requests.get()) {
            changes.put(LoadKey.REQUESTS, 2 * count);
            SearchOracle.Reply longer = oracle.query(stage, request.with(changes));
            if (!longer.refused().isEmpty()) {
                break; // for example, a file has no further requests
            }
            count *= 2;
            reply = longer;
        }
        SortedMap<String, Double> figures = new TreeMap<>(reply.figures());
        figures.put(COUNT, (double) count);
        return new SearchOracle.Reply(figures, reply.refused());
    }

    /** Returns the seed of the configuration, to which seed numbers are added. */
    private long baseSeed(RunRequest request) {
        return LoadKey.integer(request, seedKey).orElse(DEFAULT_SEED);
    }

    /** Returns the values of keys with which a candidate was simulated at a load, except the seed. */
    Map<String, Object> changes(Candidate candidate, double load) {
        Map<String, Object> changes = loadKey.changes(candidate.request().orElseThrow(), load);
        synchronized (answersByCandidate) {
            answersByCandidate.getOrDefault(candidate.num(), List.of()).stream()
                    .filter(answer -> answer.load() == load && answer.seed() == 0)
                    .flatMap(answer -> Optional.ofNullable(answer.figures().get(COUNT)).stream())
                    .findFirst()
                    .ifPresent(count -> changes.put(LoadKey.REQUESTS, count.longValue()));
        }
        return changes;
    }

    int queries() {
        return queries.get();
    }

    /** Returns the number of results from an earlier launch. */
    int found() {
        return reused.get();
    }

    /** Returns all results, sorted by candidate, load and seed. */
    List<Answer> answers() {
        List<Answer> all = new ArrayList<>();
        synchronized (answersByCandidate) {
            answersByCandidate.values().forEach(all::addAll);
        }
        all.sort(Comparator.comparingInt(Answer::candidate)
                .thenComparingDouble(Answer::load)
                .thenComparingInt(Answer::seed));
        return all;
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
