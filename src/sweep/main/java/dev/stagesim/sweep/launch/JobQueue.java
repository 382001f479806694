package dev.stagesim.sweep.launch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Jobs that wait for a thread and for memory. The first job that fits into free memory is started. A job larger than
 * the whole budget is started when no other job is running.
 *
 * <p>A job that runs out of memory waits until all others are done, and is then repeated alone.
 */
final class JobQueue {
    private final List<PlannedJob> jobs;
    private final boolean[] taken;
    private final long memory;
    private final List<PlannedJob> alone = new ArrayList<>();
    private final Set<Integer> retried = new HashSet<>();
    private int first;
    private int running;
    private long used;
    private boolean closed;

    JobQueue(List<PlannedJob> jobs, long memory) {
        this.jobs = jobs;
        this.taken = new boolean[jobs.size()];
        this.memory = memory;
    }

    /** Returns the next job as soon as it may start, or empty if there is none. */
    synchronized Optional<PlannedJob> take() throws InterruptedException {
        while (!closed) {
            Optional<PlannedJob> next = next();
            if (next.isPresent()) {
                running++;
                used += bytes(next.get());
                return next;
            }
            if (first == jobs.size() && alone.isEmpty() && running == 0) {
                closed = true;
                notifyAll();
                break;
            }
            wait();
        }
        return Optional.empty();
    }

    private Optional<PlannedJob> next() {
        while (first < jobs.size() && taken[first]) {
            first++;
        }
        for (int i = first; i < jobs.size(); i++) {
            if (!taken[i] && (running == 0 || used + bytes(jobs.get(i)) <= memory)) {
                taken[i] = true;
                return Optional.of(jobs.get(i));
            }
        }
        return first == jobs.size() && running == 0 && !alone.isEmpty()
                ? Optional.of(alone.remove(0))
                : Optional.empty();
    }

    private static long bytes(PlannedJob job) {
        return job.question().effort().bytes();
    }

    /** Schedules a job that ran out of memory to run alone. Returns false if it already ran alone. */
    synchronized boolean retryAlone(PlannedJob job) {
        return retried.add(job.num()) && alone.add(job);
    }

    /** Releases the memory of a job. */
    synchronized void ended(PlannedJob job) {
        running--;
        used -= bytes(job);
        notifyAll();
    }

    /** Prevents further jobs from starting. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
