package dev.stagesim.verify.fidelity;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.verify.fidelity.lengths.RequestLengths;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs of trtllm-bench at full load, as in NVIDIA's performance overviews: equal requests that are all queued at the
 * start. A sequence starts when the cache has room for its full length. Source: NVIDIA/TensorRT-LLM (258c754, ab4143e,
 * 00f3768, 03e27c7; Apache-2.0): docs/source, perf-overview.md, and the step sizes of
 * tensorrt_llm/bench/build/tuning.py.
 */
final class TrtllmBench {
    /** Number of requests by prompt and output length. */
    private static final Map<String, String> REQUESTS =
            LooseTable.resource(TrtllmBench.class, "trtllm-bench.csv").texts("lengths", "requests");

    /** Share of the memory left by the weights that the KV cache uses. */
    static final double CACHE = 0.95;

    private static final int MAX_SEQUENCES = 4096;
    private static final int MAX_TOKENS = 32_768;
    private static final int MIN_TOKENS = 2048;

    /** Graph sizes of its PyTorch runs. Batches are padded to them. */
    private static final List<String> CAPTURED =
            List.of("1", "2", "4", "8", "16", "32", "64", "128", "256", "384", "512", "1024", "2048", "4096", "8192");

    private TrtllmBench() {}

    /** True if a version runs TensorRT engines in the C++ runtime. */
    static boolean isBuilt(String version) {
        return version.matches("0\\.1[0-8](\\D.*)?");
    }

    static boolean isOne(Row row) {
        return row.origin().source().equals("trtllm-perf-overview");
    }

    /** True if its command uses attention data parallelism: mixtures of experts since 1.0. */
    static boolean copiesAttention(Row row) {
        return isOne(row)
                && row.setup().version().startsWith("1.")
                && row.groups().copies() == 1;
    }

    /**
     * Returns the engine with the CUDA graphs of the PyTorch backend. TensorRT engines keep the graphs of their card.
     */
    static StepCard engine(Row row, StepCard engine) {
        return isOne(row) && !isBuilt(row.setup().version()) ? engine.capturing(CAPTURED) : engine;
    }

    /** Returns the output tokens per second of the whole run. */
    static double tokensPerSecond(Subject subject, int input, int output) {
        String known = REQUESTS.get(input + "/" + output);
        if (known == null) {
            throw new UnpredictableRow(
                    "the number of requests with " + input + " and " + output + " tokens is unknown");
        }
        int requests = Integer.parseInt(known);
        int length = input + output;
        int copies = subject.sharding().attentionCopies();
        int stages = subject.sharding().stages();
        double guessed = sequences(subject, freeTokens(subject.of(length)), length);
        ReplicaModel tuned = limited(subject, chunk(guessed, input, output), (int) guessed, length);
        double fit = sequences(subject, Subject.kvTokens(tuned), length);
        // each pipeline stage processes its part of the sequences, and each attention copy its part of the requests
        int max = stages * (int) Math.max(1, Math.min(Math.floor(fit / copies), tuned(fit)));
        RequestTrace trace = RequestLengths.even(input, output, 1, 1)
                .trace((requests + copies - 1) / copies, Double.POSITIVE_INFINITY, false, 0);
        LoadRun run = new LoadRun(limited(subject, chunk(fit, input, output), max, length));
        return copies * run.replay(trace).tokensPerSecond();
    }

    private static ReplicaModel limited(Subject subject, int chunk, int sequences, int length) {
        return subject.replica()
                .limited(
                        new EngineSchedulers.Limits(
                                Optional.of(Math.max(1, Math.min(sequences, chunk))),
                                Optional.of(chunk),
                                Optional.empty()),
                        length);
    }

    /**
     * Returns the tokens in the cache's share of the free memory after the weights, as the tool estimates it before it
     * measures the peak of a step.
     */
    private static double freeTokens(ReplicaModel replica) {
        double free = replica.hardware().usableMemGib() * (1L << 30) * replica.devices() - replica.weightBytes();
        return CACHE * free / Math.max(1, replica.tokenBytes());
    }

    /**
     * Returns the number of full-length sequences of a stage that fit into the cache of all copies. The tool tunes its
     * steps to this number.
     */
    private static double sequences(Subject subject, double kvTokens, int length) {
        if (kvTokens < length) {
            throw new UnpredictableRow("weights and one sequence do not fit in memory");
        }
        Sharding split = subject.sharding();
        return Math.min(kvTokens / length * split.attentionCopies(), MAX_SEQUENCES) / split.stages();
    }

    /** Returns the maximum tokens of a step for {@code sequences} sequences. */
    static int chunk(double sequences, int input, int output) {
        double tokens = Math.min(sequences * (1 + input / (double) output), MAX_TOKENS);
        if (tokens < 4096) {
            return Math.max(MIN_TOKENS, up(tokens, 256));
        }
        return tokens < 8192 ? up(tokens, 512) : up(tokens, 1024);
    }

    /** Returns the maximum number of sequences in a step. */
    static int tuned(double sequences) {
        if (sequences < 256) {
            return Math.max(64, up(sequences, 32));
        }
        return sequences < 1024 ? up(sequences, 128) : up(sequences, 256);
    }

    private static int up(double value, int step) {
        return step * (int) Math.ceil(value / step);
    }
}
