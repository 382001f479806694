package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.transfer.KvTransport;
import dev.stagesim.sim.serving.policy.KvRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** KV transfers from prefill to decode instances. */
public final class KvHandoffs {
    private final RequestTimeline timeline;
    private final List<Instance> instances;
    private final KvTransport transfers;
    private final @Nullable KvRequest[] senders;
    private final @Nullable KvRequest[] receivers;
    private final BinnedTimeSeries series;
    private final int signal;
    private double changed;
    private double maxConcurrent;

    /** Creates the transfers of a run. Their number is recorded in series {@code signal}. */
    KvHandoffs(
            RequestTimeline timeline,
            List<Instance> instances,
            KvTransport transfers,
            @Nullable KvRequest[] senders,
            BinnedTimeSeries series,
            int signal) {
        this.timeline = timeline;
        this.instances = instances;
        this.transfers = transfers;
        this.senders = senders;
        this.series = series;
        this.signal = signal;
        receivers = new KvRequest[senders.length];
    }

    /** Returns the end time of the next transfer, or infinity if none ends before {@code until}. */
    double nextSeconds(double until) {
        return transfers.nextSeconds(until);
    }

    /** Completes the next transfer and returns its request. */
    int end(double now) {
        account(now);
        return transfers.end();
    }

    /** Records the number of transfers up to a time. */
    void account(double now) {
        series.add(signal, changed, now, transfers.active());
        changed = now;
        maxConcurrent = Math.max(maxConcurrent, transfers.active());
    }

    /** Records that a decode instance has reserved memory for a request that has not been computed. */
    void reserve(int request, KvRequest receiver) {
        receivers[request] = receiver;
    }

    /** Starts the transfer of a computed request into reserved memory. */
    void startReserved(int request, int tokens, double now) {
        start(request, tokens, Objects.requireNonNull(receivers[request]), now);
    }

    /** Starts the transfer of a request for which the decode instance has allocated memory. */
    void start(int request, int tokens, KvRequest receiver, double now) {
        account(now);
        timeline.moving[request] = now;
        timeline.transferred[request] = tokens;
        receivers[request] = receiver;
        transfers.start(request, timeline.first[request], timeline.second[request], bytes(request), now);
    }

    /** Returns true if the prefill instance has not released the KV blocks of a request. */
    boolean isKept(int request) {
        return senders[request] != null;
    }

    /** Removes and returns a request of the prefill instance, or null if absent. */
    @Nullable
    KvRequest takeSender(int request) {
        KvRequest sender = senders[request];
        senders[request] = null;
        return sender;
    }

    /** Removes and returns a request of the decode instance, or null if absent. */
    @Nullable
    KvRequest takeReceiver(int request) {
        KvRequest receiver = receivers[request];
        receivers[request] = null;
        return receiver;
    }

    /** Aborts the transfer of a request, if it is in progress. */
    void stop(int request, double now) {
        if (transfers.isActive(request)) {
            account(now);
            transfers.stop(request, now);
        }
    }

    /** Returns the bytes of all transfers. */
    public double bytes() {
        return IntStream.range(0, timeline.size()).mapToDouble(this::bytes).sum();
    }

    /** Returns the bytes that the devices of the decode instance read for a request. */
    public double bytes(int request) {
        return timeline.isHandedOff(request)
                ? timeline.transferred[request]
                        * instances.get(timeline.second[request]).pool.replica().tokenBytes()
                : 0;
    }

    /** Returns the mean bytes per transferred token. */
    public double tokenBytes() {
        return bytes() / Arrays.stream(timeline.transferred).asDoubleStream().sum();
    }

    /** Returns true if transfers share links. */
    public boolean sharesLinks() {
        return transfers.isFair();
    }

    /** Returns the seconds that the busiest network link needs for its bytes at full bandwidth. */
    public double busiestSeconds() {
        return transfers.busiestSeconds();
    }

    /** Returns the maximum number of concurrent transfers. */
    public double maxConcurrent() {
        return maxConcurrent;
    }
}
