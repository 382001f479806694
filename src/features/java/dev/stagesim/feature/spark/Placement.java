package dev.stagesim.feature.spark;

import dev.stagesim.sweep.PlannedJob;
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
 * Which job goes next, and where it had better go, when many processes share the jobs of a sweep.
 *
 * <p>Runs that several jobs rest on are made once, by a task of their own, while the jobs that rest on them wait and others
 * go ahead: a process that finds such a run being made by another could only wait itself. A job then goes rather to one of the
 * places that have made most of what it rests on. This is a locality preference: a place that stays busy is passed over.
 */
final class Placement {
    /**
     * Something to be sent.
     *
     * @param job the job
     * @param prepares true when the runs it rests on are to be made, and not yet its own
     * @param places where it had better be done; empty for anywhere
     */
    record Task(PlannedJob job, boolean prepares, List<String> places) {}

    private final Deque<PlannedJob> waiting = new ArrayDeque<>();
    private final Map<Integer, List<String>> shared = new HashMap<>();

    /** Places that have made a run. */
    private final Map<String, Set<String>> made = new HashMap<>();

    private final Set<String> underWay = new HashSet<>();

    Placement(List<PlannedJob> jobs) {
        Map<String, Integer> resting = new HashMap<>();
        for (PlannedJob job : jobs) {
            new HashSet<>(job.question().rests()).forEach(run -> resting.merge(run, 1, Integer::sum));
        }
        for (PlannedJob job : jobs) {
            List<String> runs = job.question().rests().stream()
                    .distinct()
                    .filter(run -> resting.getOrDefault(run, 0) > 1)
                    .toList();
            shared.put(job.num(), runs);
            waiting.add(job);
        }
    }

    /** The next task; empty when there is none, or none until one that is under way has ended. */
    Optional<Task> next() {
        for (Iterator<PlannedJob> jobs = waiting.iterator(); jobs.hasNext(); ) {
            PlannedJob job = jobs.next();
            List<String> runs = runs(job);
            if (runs.stream().anyMatch(underWay::contains)) {
                continue;
            }
            if (made.keySet().containsAll(runs)) {
                jobs.remove();
                return Optional.of(new Task(job, false, places(runs)));
            }
            runs.stream().filter(run -> !made.containsKey(run)).forEach(underWay::add);
            return Optional.of(new Task(job, true, places(runs)));
        }
        return Optional.empty();
    }

    private List<String> runs(PlannedJob job) {
        return shared.getOrDefault(job.num(), List.of());
    }

    /** The places that have made most of some runs. */
    private List<String> places(List<String> runs) {
        Map<String, Integer> has = new HashMap<>();
        runs.forEach(run -> made.getOrDefault(run, Set.of()).forEach(place -> has.merge(place, 1, Integer::sum)));
        int most = has.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        List<String> places = new ArrayList<>();
        new TreeSet<>(has.keySet())
                .stream().filter(place -> has.getOrDefault(place, 0) == most).forEach(places::add);
        return places;
    }

    /**
     * Hears that a task has ended; what it rests on counts as made even where it failed, so that its jobs say why themselves.
     *
     * @param place where it was done; empty when it was not
     */
    void ended(Task task, String place) {
        for (String run : runs(task.job())) {
            underWay.remove(run);
            Set<String> places = made.computeIfAbsent(run, id -> new TreeSet<>());
            if (!place.isEmpty()) {
                places.add(place);
            }
        }
    }
}
