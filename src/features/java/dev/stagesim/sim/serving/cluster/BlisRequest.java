package dev.stagesim.sim.serving.cluster;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request, or one half of a split one, on its way through a cluster; times are microseconds. */
public final class BlisRequest {
    /**
     * What is known of a request before it arrives; names are empty and times 0 where there is none.
     *
     * @param output tokens that will be generated
     * @param outputLimit output tokens that the request says it may take
     * @param deadline absolute time after which the client is gone
     * @param target time in which the gateway should serve it
     */
    public record Spec(
            String id,
            long arrival,
            long[] prompt,
            long[] output,
            int outputLimit,
            String serviceClass,
            String tenant,
            String adapter,
            String session,
            int round,
            long deadline,
            long target,
            boolean hasImages) {
        int promptLength() {
            return prompt.length;
        }

        /** The half of a split request that computes the prompt. */
        Spec prefill() {
            return half("_prefill", new long[0]);
        }

        /** The half of a split request that generates the output. */
        Spec decode() {
            return half("_decode", output);
        }

        private Spec half(String suffix, long[] generates) {
            return new Spec(
                    id + suffix,
                    arrival,
                    prompt,
                    generates,
                    outputLimit,
                    serviceClass,
                    tenant,
                    "",
                    "",
                    0,
                    deadline,
                    target,
                    false);
        }
    }

    enum State {
        QUEUED,
        RUNNING,
        COMPLETED,
        TIMED_OUT
    }

    private final Spec spec;
    final boolean isDecodePart;
    private int @Nullable [] chain;

    State state = State.QUEUED;
    int progress;
    /** Tokens computed once the step under way is done. */
    int planned;
    /** Tokens of the step under way. */
    int newTokens;

    boolean hasFirstToken;
    boolean wasCut;
    boolean pinsAdapter;
    long firstTokenTime;
    long firstGap;
    long gapSum;
    int gaps;
    long enqueuedAt;
    long dispatchedAt;

    private Optional<String> instance = Optional.empty();
    private Optional<Long> ttft = Optional.empty();
    private Optional<Long> e2e = Optional.empty();
    private Optional<Long> schedulingDelay = Optional.empty();
    private Optional<Double> meanGap = Optional.empty();

    BlisRequest(Spec spec, boolean isDecodePart) {
        this.spec = spec;
        this.isDecodePart = isDecodePart;
    }

    public Spec spec() {
        return spec;
    }

    int[] chain(BlockChains chains) {
        int[] known = chain;
        if (known == null) {
            known = chains.of(spec.prompt());
            chain = known;
        }
        return known;
    }

    /** Uses the block numbers of another request with the same prompt. */
    BlisRequest sharing(BlisRequest other) {
        chain = other.chain;
        return this;
    }

    boolean isInPrompt() {
        return progress < spec.promptLength();
    }

    void addGap(long gap) {
        if (gaps == 0) {
            firstGap = gap;
        }
        gapSum += gap;
        gaps++;
    }

    /** Forgets what was computed; what was reported stays until it is reported anew. */
    void restart() {
        state = State.QUEUED;
        progress = 0;
        planned = 0;
        gapSum = 0;
        gaps = 0;
        hasFirstToken = false;
    }

    public boolean timedOut() {
        return state == State.TIMED_OUT;
    }

    /** Time at which the gateway queued it; 0 when it did not. */
    public long enqueuedAt() {
        return enqueuedAt;
    }

    /** Time at which the gateway let it go; 0 when it did not. */
    public long dispatchedAt() {
        return dispatchedAt;
    }

    /** The instance that served it. */
    public Optional<String> instance() {
        return instance;
    }

    public Optional<Long> ttft() {
        return ttft;
    }

    public Optional<Long> e2e() {
        return e2e;
    }

    /** Last admission to a batch, counted from the arrival. */
    public Optional<Long> schedulingDelay() {
        return schedulingDelay;
    }

    public Optional<Double> meanGap() {
        return meanGap;
    }

    void servedBy(@Nullable String name) {
        instance = Optional.ofNullable(name);
    }

    void reportTtft(Optional<Long> value) {
        ttft = value;
    }

    void reportE2e(Optional<Long> value) {
        e2e = value;
    }

    void reportSchedulingDelay(Optional<Long> value) {
        schedulingDelay = value;
    }

    void reportMeanGap(Optional<Double> value) {
        meanGap = value;
    }
}
