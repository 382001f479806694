package dev.stagesim.sim.serving.cluster;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request whose prompt is computed on one instance and whose output is generated on another; times are 0 until known. */
public final class SplitRequest {
    final BlisRequest whole;
    final BlisRequest prefill;
    final BlisInstance target;
    final String encodedBy;
    final int blocks;

    @Nullable
    BlisRequest decode;

    String prefillBy = "";
    long prefillEnqueuedAt;
    long prefillDoneAt;
    long transferStartedAt;
    long transferDoneAt;
    long decodeEnqueuedAt;
    long completedAt;

    SplitRequest(BlisRequest whole, BlisInstance target, String encodedBy, int blockSize) {
        this.whole = whole;
        this.target = target;
        this.encodedBy = encodedBy;
        prefill = new BlisRequest(whole.spec().prefill(), false).sharing(whole);
        blocks = (whole.spec().promptLength() + blockSize - 1) / blockSize;
    }

    public String id() {
        return whole.spec().id();
    }

    /** Blocks of the prompt that are transferred. */
    public int blocks() {
        return blocks;
    }

    /** Instance that computes the prompt; empty until it is chosen. */
    public String prefillBy() {
        return prefillBy;
    }

    /** Instance that generates the output. */
    public String decodeBy() {
        return target.name();
    }

    /** Instance that encodes images; empty when none does. */
    public String encodedBy() {
        return encodedBy;
    }

    /** Whether its output was generated; a transfer that finds no room is dropped. */
    public boolean isServed() {
        return decode != null && decode.state == BlisRequest.State.COMPLETED;
    }

    public long prefillEnqueuedAt() {
        return prefillEnqueuedAt;
    }

    public long prefillDoneAt() {
        return prefillDoneAt;
    }

    public long transferStartedAt() {
        return transferStartedAt;
    }

    public long transferDoneAt() {
        return transferDoneAt;
    }

    public long decodeEnqueuedAt() {
        return decodeEnqueuedAt;
    }

    public long completedAt() {
        return completedAt;
    }

    /** Reports the figures of both parts as those of the whole; gives what the sum of TTFTs changes by. */
    long report() {
        if (completedAt == 0) {
            return 0;
        }
        BlisRequest part = decode;
        Optional<Long> delay = part == null ? Optional.empty() : part.schedulingDelay();
        Optional<Long> own = part == null ? Optional.empty() : part.e2e();
        long wall = completedAt - whole.spec().arrival();
        boolean wasRecomputed = part != null && part.firstTokenTime != 0;
        whole.reportE2e(
                delay.isPresent() && own.isPresent()
                        ? Optional.of(own.get() + (wasRecomputed ? 0 : delay.get()))
                        : Optional.of(wall));
        whole.reportSchedulingDelay(prefill.schedulingDelay());
        whole.reportMeanGap(part == null ? Optional.empty() : part.meanGap());
        whole.servedBy(target.name());
        Optional<Long> prompt = prefill.ttft();
        if (prompt.isEmpty() || delay.isEmpty() || part == null || part.gaps == 0) {
            whole.reportTtft(prompt);
            return 0;
        }
        long ttft = delay.get() + part.firstGap;
        whole.reportTtft(Optional.of(ttft));
        return ttft - prompt.get();
    }
}
