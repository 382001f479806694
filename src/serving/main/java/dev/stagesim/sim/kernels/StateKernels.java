package dev.stagesim.sim.kernels;

import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;

/**
 * Times of the kernels of linear attention and state-space layers on one device, in microseconds.
 *
 * <p>Prompts are computed in chunks of 64 tokens. The chunks of a head follow each other; the work inside chunks is spread
 * over all multiprocessors. The constants are equal on all devices: see specs/step-times.md.
 */
public final class StateKernels {
    /** Values of the state of a head: 128 keys and 128 values. Other states count as a share of it. */
    public static final double HEAD_VALUES = 128 * 128;

    private static final double STATE_BYTES = 4;
    private static final double CHUNK = 64;
    private static final double KILO = 1e3;

    /** Tokens from which the convolution of a prompt runs its full loop. */
    private static final double LOOP_TOKENS = 16;

    /** The kernels that compute the states of a prompt. */
    public enum Scan {
        /** Gated delta rule in several Triton kernels, which exchange their results through memory. */
        GATED_DELTA(19.1, 2.22, 1.8, 17, 5650, 2.6),
        /** Gated delta rule in one kernel of FlashInfer for Hopper. */
        FUSED_HOPPER(1.6, 3.1, 7.6, 0, 650, 0),
        /** Gated delta rule in one kernel of FlashInfer for Blackwell. */
        FUSED_BLACKWELL(2.4, 2.35, 15.9, 0, 500, 0),
        /** Kimi delta attention in several Triton kernels. */
        CHANNEL_GATED(24.2, 5.8, 0, 21.7, 13_700, 2.7),
        /** Kimi delta attention in one kernel. */
        FUSED_CHANNEL_GATED(14.3, 4.4, 4.2, 2.7, 3_600, 4),
        /** Mamba-2. */
        STATE_SPACE(28, 3.2, 0, 10.8, 0, 26);

        private final double minimumUs;
        private final double chunkUs;
        private final double waveUs;
        private final double tileUs;
        private final double tokenBytes;
        private final double stateCopies;

        /**
         * @param minimumUs minimum time
         * @param chunkUs time of a chunk of one head after the chunk before it
         * @param waveUs time to start a head on its multiprocessor
         * @param tileUs work on a chunk of one head, in time of one multiprocessor
         * @param tokenBytes memory traffic per token and head at the peak bandwidth
         * @param stateCopies memory traffic per state, in its size
         */
        Scan(double minimumUs, double chunkUs, double waveUs, double tileUs, double tokenBytes, double stateCopies) {
            this.minimumUs = minimumUs;
            this.chunkUs = chunkUs;
            this.waveUs = waveUs;
            this.tileUs = tileUs;
            this.tokenBytes = tokenBytes;
            this.stateCopies = stateCopies;
        }

        /** Returns the kernels that most engines use for a family of models. */
        public static Scan of(String family) {
            if (family.startsWith("kimi")) {
                return CHANNEL_GATED;
            }
            return family.startsWith("qwen") ? GATED_DELTA : STATE_SPACE;
        }
    }

    private final double multiprocessors;
    private final double bytesPerUs;
    private final double cachedBytes;
    private final double factor;
    private final boolean isBlackwell;

    /**
     * Kernels of an engine on a device.
     *
     * @param cachedBytes bytes of a kernel's operands that are in the L2 cache
     */
    public StateKernels(HardwareCard hardware, StepCard engine, double cachedBytes) {
        multiprocessors = hardware.kernels().multiprocessors();
        bytesPerUs = hardware.statedMemBwGbs() * KILO;
        this.cachedBytes = cachedBytes;
        factor = engine.factors().kernels();
        isBlackwell = hardware.device().isBlackwell();
    }

    /** The kernel of FlashInfer for the gated delta rule. Blackwell has another one. */
    public Scan fusedScan() {
        return isBlackwell ? Scan.FUSED_BLACKWELL : Scan.FUSED_HOPPER;
    }

    /** Causal convolution of prompts over {@code channels} channels. */
    public double convolution(double sequences, double tokens, double channels) {
        double values = sequences * tokens * channels;
        return factor * (2.3 + 1.2 * Math.min(1, tokens / LOOP_TOKENS) + joined(0.18 * values / KILO, 5.7 * values));
    }

    /** Causal convolution of one new token per sequence; reads and writes the last tokens. */
    public double convolutionStep(double sequences, double channels) {
        double values = sequences * channels;
        return factor * (1.8 + joined(0.66 * values / KILO, 17 * values));
    }

    /** Update of the states of {@code heads} heads with one new token per sequence. */
    public double step(double sequences, double heads) {
        double values = sequences * heads * HEAD_VALUES;
        return factor * (4 + joined(0.158 * values / KILO, 9.1 * values));
    }

    /** States and outputs of {@code heads} heads for prompts of {@code tokens} tokens. */
    public double scan(double sequences, double tokens, double heads, Scan scan) {
        double states = sequences * heads;
        double chunks = Math.ceil(tokens / CHUNK);
        double serial = Math.ceil(states / multiprocessors) * (scan.waveUs + chunks * scan.chunkUs);
        double bytes = scan.tokenBytes * states * tokens + scan.stateCopies * states * HEAD_VALUES * STATE_BYTES;
        return factor * (scan.minimumUs + Math.hypot(serial, joined(scan.tileUs * states * chunks, bytes)));
    }

    /** Work of the multiprocessors, in time of one of them, that overlaps with memory traffic unless both take long. */
    private double joined(double work, double bytes) {
        return Math.hypot(work / multiprocessors, Math.max(0, bytes - cachedBytes) / bytesPerUs);
    }
}
