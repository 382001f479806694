package dev.stagesim.sim.serving.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.PriorityQueue;

/**
 * Servers that move blocks between memory tiers.
 *
 * <p>A tier has servers that prefer reads and servers that prefer writes; each takes the other kind when its own queue is
 * empty. The bandwidth of a job can depend on how many jobs of its direction are in service when it starts. Times are
 * microseconds.
 */
public final class TransferStation {
    /** Direction of a job. */
    public enum Direction {
        READ,
        WRITE
    }

    /**
     * One direction of a tier.
     *
     * @param servers servers that prefer this direction
     * @param baseUs time that every job takes
     * @param bytesPerUs bandwidth of one server
     */
    public record Lane(int servers, long baseUs, double bytesPerUs) {}

    /**
     * A tier.
     *
     * @param saturationDepth jobs in service from which on a server has its full bandwidth; below 2 it always has
     * @param singleFraction share of the bandwidth that a single job gets
     * @param maxQueue jobs of a direction that may wait; 0 for any number
     */
    public record Tier(Lane read, Lane write, int saturationDepth, double singleFraction, int maxQueue) {
        Lane lane(Direction direction) {
            return direction == Direction.READ ? read : write;
        }

        double bandwidth(Direction direction, int depth) {
            double full = lane(direction).bytesPerUs();
            boolean ramps = saturationDepth >= 2 && singleFraction > 0 && singleFraction < 1;
            return ramps && depth < saturationDepth
                    ? full * (singleFraction + (1 - singleFraction) * (depth - 1) / (saturationDepth - 1))
                    : full;
        }
    }

    /** A finished job and when it finished. */
    public record Done(int job, long at) {}

    private record Job(int id, int tier, Direction direction, long bytes, long submitted) {}

    private record Service(Job job, Direction server, long end) {}

    private static final Comparator<Service> ORDER = Comparator.comparingLong(Service::end)
            .thenComparingLong(service -> service.job().submitted())
            .thenComparingInt(service -> service.job().tier())
            .thenComparing(service -> service.job().direction())
            .thenComparingInt(service -> service.job().id());

    private static final class State {
        private final Tier tier;
        private final List<Deque<Job>> queues = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        private final int[] idle;
        private final int[] active = new int[Direction.values().length];

        State(Tier tier) {
            this.tier = tier;
            idle = new int[] {tier.read().servers(), tier.write().servers()};
        }
    }

    private final List<State> tiers;
    private final PriorityQueue<Service> services = new PriorityQueue<>(ORDER);
    private long now;
    private int jobs;

    /** A station without jobs. */
    public TransferStation(List<Tier> tiers) {
        this.tiers = tiers.stream().map(State::new).toList();
    }

    /** Submits a job, after everything that ends up to then; its number counts from 1, and is absent when it was refused. */
    public OptionalInt submit(int tier, Direction direction, long bytes, long at) {
        State state = tiers.get(tier);
        Deque<Job> queue = state.queues.get(direction.ordinal());
        if (state.tier.maxQueue() > 0 && queue.size() >= state.tier.maxQueue()) {
            return OptionalInt.empty();
        }
        jobs++;
        queue.add(new Job(jobs, tier, direction, bytes, at));
        assign(state, Math.max(at, now));
        return OptionalInt.of(jobs);
    }

    /**
     * Carries on until a time, and gives what ended up to then, in order.
     *
     * <p>As in BLIS nothing ends while the time stands still: a job without duration holds its server until the next
     * later time.
     */
    public List<Done> advance(long to) {
        List<Done> done = new ArrayList<>();
        while (to > now) {
            Service first = services.peek();
            if (first == null || first.end() > to) {
                break;
            }
            services.remove();
            State state = tiers.get(first.job().tier());
            state.idle[first.server().ordinal()]++;
            state.active[first.job().direction().ordinal()]--;
            done.add(new Done(first.job().id(), first.end()));
            assign(state, first.end());
        }
        now = Math.max(now, to);
        return done;
    }

    /** Carries on until nothing is left. */
    public List<Done> finish() {
        return advance(Long.MAX_VALUE);
    }

    private void assign(State state, long at) {
        for (Direction server : Direction.values()) {
            int own = server.ordinal();
            while (state.idle[own] > 0) {
                Job job = state.queues.get(own).poll();
                job = job == null ? state.queues.get(1 - own).poll() : job;
                if (job == null) {
                    break;
                }
                state.idle[own]--;
                start(state, job, server, at);
            }
        }
    }

    private void start(State state, Job job, Direction server, long at) {
        int depth = ++state.active[job.direction().ordinal()];
        long moving = (long) (job.bytes() / state.tier.bandwidth(job.direction(), depth));
        services.add(
                new Service(job, server, at + state.tier.lane(job.direction()).baseUs() + moving));
    }
}
