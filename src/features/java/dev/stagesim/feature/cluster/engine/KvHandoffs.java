package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.transfer.KvTransport;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Keys and values on their way from the instances of prompts to those of outputs. */
public final class KvHandoffs {
    private final RequestTimeline timeline;
    private final List<Instance> instances;
    private final KvTransport transfers;
    private final @Nullable LiveRequest[] senders;
    private final @Nullable LiveRequest[] receivers;
    private final BinnedTimeSeries series;
    private final int signal;
    private double changed;
    private double maxConcurrent;

    /** None; how many there are is a function of the series. */
    KvHandoffs(
            RequestTimeline timeline,
            List<Instance> instances,
            KvTransport transfers,
            @Nullable LiveRequest[] senders,
            BinnedTimeSeries series,
            int signal) {
        this.timeline = timeline;
        this.instances = instances;
        this.transfers = transfers;
        this.senders = senders;
        this.series = series;
        this.signal = signal;
        receivers = new LiveRequest[senders.length];
    }

    /** When the next transfer ends; infinite when there is none, or none before something else happens. */
    double nextSeconds(double until) {
        return transfers.nextSeconds(until);
    }

    /** Ends the next transfer. */
    int end(double now) {
        account(now);
        return transfers.end();
    }

    /** Brings the account up to a time. */
    void account(double now) {
        series.add(signal, changed, now, transfers.active());
        changed = now;
        maxConcurrent = Math.max(maxConcurrent, transfers.active());
    }

    /** There is room for a request. */
    void start(int request, int tokens, LiveRequest receiver, double now) {
        account(now);
        timeline.moving[request] = now;
        timeline.transferred[request] = tokens;
        receivers[request] = receiver;
        transfers.start(request, timeline.first[request], timeline.second[request], bytes(request), now);
    }

    /** Whether the first instance keeps what it computed of a request. */
    boolean isKept(int request) {
        return senders[request] != null;
    }

    /** The request as its first instance keeps it, which is to do so no longer; null when it does not. */
    @Nullable
    LiveRequest takeSender(int request) {
        LiveRequest sender = senders[request];
        senders[request] = null;
        return sender;
    }

    /** The request as its second instance awaits it, which is told now; null when it does not. */
    @Nullable
    LiveRequest takeReceiver(int request) {
        LiveRequest receiver = receivers[request];
        receivers[request] = null;
        return receiver;
    }

    /** Ends the transfer of a request if it is in progress. */
    void stop(int request, double now) {
        if (transfers.isActive(request)) {
            account(now);
            transfers.stop(request, now);
        }
    }

    /** Bytes of all transfers. */
    public double bytes() {
        return IntStream.range(0, timeline.size()).mapToDouble(this::bytes).sum();
    }

    /** What the devices of the decode instance read: each of them all that it will hold. */
    public double bytes(int request) {
        return timeline.isHandedOff(request)
                ? timeline.transferred[request]
                        * instances.get(timeline.second[request]).pool.replica().tokenBytes()
                : 0;
    }

    /** Bytes of a token that is transferred, on average. */
    public double tokenBytes() {
        return bytes() / Arrays.stream(timeline.transferred).asDoubleStream().sum();
    }

    /** Whether transfers on a link share it. */
    public boolean sharesLinks() {
        return transfers.isFair();
    }

    /** Seconds that the busiest link of a network needs for its bytes. */
    public double busiestSeconds() {
        return transfers.busiestSeconds();
    }

    /** Most transfers at a time. */
    public double maxConcurrent() {
        return maxConcurrent;
    }
}
