package dev.stagesim.feature.spark;

import dev.stagesim.sweep.launch.PlannedJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Selects the next job, and its preferred workers, when many processes share the jobs of a sweep.
 *
 * <p>An upstream run that several jobs need is executed once, as a separate task. The jobs that need it wait, and other
 * jobs run first, because a process that finds the run in progress elsewhere could only wait. A job then prefers the
 * workers that have executed most of its upstream runs. This is only a locality preference: a busy worker is skipped.
 */
final class Placement {
    /**
     * A task for a worker.
     *
     * @param job the job
     * @param prepares true to execute the upstream runs but not the job
     * @param places preferred workers; empty for any worker
     */
    record Task(PlannedJob job, boolean prepares, List<String> places) {}

    private final Deque<PlannedJob> waiting = new ArrayDeque<>();
    private final Map<Integer, List<String>> shared = new HashMap<>();

    /** Workers that have executed an upstream run, by id of the run. */
    private final Map<String, Set<String>> executedBy = new HashMap<>();

    private final Set<String> inProgress = new HashSet<>();

    Placement(List<PlannedJob> jobs) {
        Map<String, Integer> dependents = new HashMap<>();
        for (PlannedJob job : jobs) {
            new HashSet<>(job.question().missing()).forEach(run -> dependents.merge(run, 1, Integer::sum));
        }
        for (PlannedJob job : jobs) {
            List<String> runs = job.question().missing().stream()
                    .distinct()
                    .filter(run -> dependents.getOrDefault(run, 0) > 1)
                    .toList();
            shared.put(job.num(), runs);
            waiting.add(job);
        }
    }

    /** Returns the next task; empty if no task can start before a running task ends, or if no jobs are left. */
    Optional<Task> next() {
        for (Iterator<PlannedJob> jobs = waiting.iterator(); jobs.hasNext(); ) {
            PlannedJob job = jobs.next();
            List<String> runs = runs(job);
            if (runs.stream().anyMatch(inProgress::contains)) {
                continue;
            }
            if (executedBy.keySet().containsAll(runs)) {
                jobs.remove();
                return Optional.of(new Task(job, false, places(runs)));
            }
            runs.stream().filter(run -> !executedBy.containsKey(run)).forEach(inProgress::add);
            return Optional.of(new Task(job, true, places(runs)));
        }
        return Optional.empty();
    }

    private List<String> runs(PlannedJob job) {
        return shared.getOrDefault(job.num(), List.of());
    }

    /** Returns the workers that have executed most of {@code runs}. */
    private List<String> places(List<String> runs) {
        Map<String, Integer> counts = new HashMap<>();
        runs.forEach(
                run -> executedBy.getOrDefault(run, Set.of()).forEach(place -> counts.merge(place, 1, Integer::sum)));
        int max = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        List<String> places = new ArrayList<>();
        new TreeSet<>(counts.keySet())
                .stream().filter(place -> counts.getOrDefault(place, 0) == max).forEach(places::add);
        return places;
    }

    /**
     * Records the end of a task. Its upstream runs count as executed even after a failure, so that the jobs report the
     * error themselves.
     *
     * @param place worker that ran the task; empty if none did
     */
    void ended(Task task, String place) {
        for (String run : runs(task.job())) {
            inProgress.remove(run);
            Set<String> places = executedBy.computeIfAbsent(run, id -> new TreeSet<>());
            if (!place.isEmpty()) {
                places.add(place);
            }
        }
    }
}
