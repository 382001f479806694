package dev.stagesim.sim.kernels;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * CUDA graphs of an engine: the captured batch sizes, and the graph of each step.
 *
 * <p>A step costs as much as its graph, because its tokens are padded to the graph's size.
 */
public final class GraphCapture {
    /** Kinds of captured graphs. */
    public enum Mode {
        NONE,
        PIECEWISE,
        FULL,
        FULL_DECODE_ONLY,
        FULL_AND_PIECEWISE
    }

    /** How a step runs. */
    public enum Kind {
        NONE,
        PIECEWISE,
        FULL
    }

    /**
     * Settings that determine the captured sizes.
     *
     * @param mode kinds of captured graphs
     * @param maxNumSeqs maximum requests of a step
     * @param maxNumBatchedTokens maximum tokens of a step
     * @param drafts draft tokens per request
     * @param modelRunner generation of the model runner, 1 or 2
     * @param hasLargeGraphs whether the device captures up to 1024 tokens (compute capability 10)
     * @param isInteractive whether every small size is captured
     * @param userSizes explicit sizes, or empty
     * @param userMax explicit maximum size, or 0
     * @param tensorParallel sizes must be multiples of this; 1 without sequence parallelism
     */
    public record Settings(
            Mode mode,
            int maxNumSeqs,
            int maxNumBatchedTokens,
            int drafts,
            int modelRunner,
            boolean hasLargeGraphs,
            boolean isInteractive,
            List<Integer> userSizes,
            int userMax,
            int tensorParallel) {
        public Settings {
            userSizes = List.copyOf(userSizes);
        }

        int perRequest() {
            return 1 + drafts;
        }
    }

    /**
     * The graph of a step.
     *
     * @param kind execution mode
     * @param tokens tokens after padding
     * @param requests requests of a full graph, otherwise 0
     */
    public record Graph(Kind kind, int tokens, int requests) {}

    private static final int MAX_SIZE = 512;
    private static final int TENSOR_RT_MAX_REQUESTS = 128;
    private static final int MAX_SIZE_WITH_LARGE_GRAPHS = 1024;

    private final Settings settings;
    private final List<Integer> sizes;
    private final int largest;

    /**
     * Returns the graphs of TensorRT-LLM with default settings: steps with only decodes of 1, 2, 4, and multiples of 8 up to
     * 128 requests.
     */
    public static GraphCapture ofTensorRt(int maxNumSeqs, int maxNumBatchedTokens, int drafts) {
        List<Integer> sizes = IntStream.concat(
                        IntStream.of(1, 2, 4),
                        IntStream.rangeClosed(1, TENSOR_RT_MAX_REQUESTS / 8).map(i -> 8 * i))
                .filter(requests -> requests <= maxNumSeqs)
                .map(requests -> requests * (1 + drafts))
                .boxed()
                .toList();
        return new GraphCapture(new Settings(
                Mode.FULL_DECODE_ONLY, maxNumSeqs, maxNumBatchedTokens, drafts, 2, false, false, sizes, 0, 1));
    }

    /**
     * Returns the graphs of an engine with default settings: full graphs for decode-only steps, and piecewise graphs.
     */
    public static GraphCapture ofDefaults(int maxNumSeqs, int maxNumBatchedTokens, int drafts, int modelRunner) {
        return new GraphCapture(new Settings(
                Mode.FULL_AND_PIECEWISE,
                maxNumSeqs,
                maxNumBatchedTokens,
                drafts,
                modelRunner,
                false,
                false,
                List.of(),
                0,
                1));
    }

    public GraphCapture(Settings settings) {
        this.settings = settings;
        sizes = settings.mode() == Mode.NONE ? List.of() : sizes(settings);
        largest = sizes.isEmpty() ? 0 : sizes.get(sizes.size() - 1);
    }

    /** Returns the captured token counts, ascending. */
    public List<Integer> sizes() {
        return sizes;
    }

    /** Returns the maximum captured token count, or 0 if nothing is captured. */
    public int largest() {
        return largest;
    }

    /** Returns the number of captured graphs: a piecewise graph per size, and a full graph per size of decode-only steps. */
    int count() {
        int each = settings.perRequest();
        long decodes = sizes.stream()
                .filter(size -> size % each == 0 && size / each <= settings.maxNumSeqs())
                .filter(size -> choose(size, size / each, true).kind() == Kind.FULL)
                .count();
        return (settings.mode() == Mode.FULL_DECODE_ONLY ? 0 : sizes.size()) + (int) decodes;
    }

    private static List<Integer> sizes(Settings settings) {
        TreeSet<Integer> sizes = new TreeSet<>();
        int requested = settings.userMax() > 0
                ? settings.userMax()
                : (int) Math.min(
                        2L * settings.maxNumSeqs() * settings.perRequest(),
                        settings.hasLargeGraphs() ? MAX_SIZE_WITH_LARGE_GRAPHS : MAX_SIZE);
        int max = Math.min(requested, settings.maxNumBatchedTokens());
        if (settings.userSizes().isEmpty()) {
            addStandard(sizes, max, settings);
        } else {
            sizes.addAll(settings.userSizes());
            sizes.removeIf(size -> size > settings.maxNumBatchedTokens());
            max = sizes.isEmpty() ? 0 : sizes.last();
        }
        sizes.removeIf(size -> size % settings.tensorParallel() != 0);
        boolean hasFull = settings.mode() != Mode.PIECEWISE;
        if (settings.modelRunner() == 1 && settings.drafts() > 0 && hasFull) {
            int limit = max;
            TreeSet<Integer> rounded = new TreeSet<>();
            for (int size : sizes) {
                rounded.add(roundUp(size, settings.perRequest()));
            }
            rounded.removeIf(size -> size > limit);
            return List.copyOf(rounded);
        }
        return List.copyOf(sizes);
    }

    private static void addStandard(TreeSet<Integer> sizes, int max, Settings settings) {
        if (settings.isInteractive()) {
            for (int size = 1; size <= Math.min(max, 32); size++) {
                sizes.add(size);
            }
        } else {
            for (int size = 1; size <= Math.min(max, 4); size *= 2) {
                sizes.add(size);
            }
        }
        for (int size = 8; size <= Math.min(max, 255); size += 8) {
            sizes.add(size);
        }
        for (int size = 256; size <= max; size += 16) {
            sizes.add(size);
        }
        if (settings.maxNumBatchedTokens() <= max) {
            sizes.add(settings.maxNumBatchedTokens());
        }
    }

    private static int roundUp(int value, int multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    /**
     * Returns the graph of a step.
     *
     * @param tokens tokens of the step
     * @param requests requests of the step
     * @param isUniform whether every request has one token plus all its drafts
     */
    public Graph choose(int tokens, int requests, boolean isUniform) {
        if (settings.mode() == Mode.NONE || tokens > largest) {
            return eager(tokens);
        }
        return settings.modelRunner() == 2 ? chooseNext(tokens, requests, isUniform) : chooseFirst(tokens, isUniform);
    }

    private static Graph eager(int tokens) {
        return new Graph(Kind.NONE, tokens, 0);
    }

    private Graph chooseFirst(int tokens, boolean isUniform) {
        int padded = sizes.stream().filter(size -> size >= tokens).findFirst().orElseThrow();
        int each = settings.perRequest();
        boolean hasFull = isUniform && padded >= each && padded <= each * settings.maxNumSeqs();
        Graph full = new Graph(Kind.FULL, padded, Math.min(padded / each, settings.maxNumSeqs()));
        return switch (settings.mode()) {
            case FULL -> new Graph(Kind.FULL, padded, Math.min(padded, settings.maxNumSeqs()));
            case FULL_AND_PIECEWISE -> hasFull ? full : new Graph(Kind.PIECEWISE, padded, 0);
            case FULL_DECODE_ONLY -> hasFull ? full : eager(tokens);
            default -> new Graph(Kind.PIECEWISE, padded, 0);
        };
    }

    /** Considers only the graphs with the smallest sufficient token count. A decode graph takes precedence. */
    private Graph chooseNext(int tokens, int requests, boolean isUniform) {
        boolean hasDecodes = settings.mode() == Mode.FULL_AND_PIECEWISE || settings.mode() == Mode.FULL_DECODE_ONLY;
        boolean hasMixed = settings.mode() != Mode.FULL_DECODE_ONLY;
        int each = settings.perRequest();
        int decode = Integer.MAX_VALUE;
        int mixed = Integer.MAX_VALUE;
        for (int size : sizes) {
            int rounded = roundUp(size, each);
            if (hasDecodes && rounded >= tokens && rounded <= largest && rounded <= each * settings.maxNumSeqs()) {
                decode = Math.min(decode, rounded);
            }
            if (hasMixed && size >= tokens) {
                mixed = Math.min(mixed, size);
            }
        }
        int next = Math.min(decode, mixed);
        if (next == Integer.MAX_VALUE) {
            return eager(tokens);
        }
        if (decode == next && isUniform && requests <= next / each) {
            return new Graph(Kind.FULL, next, next / each);
        }
        if (mixed != next) {
            return eager(tokens);
        }
        int room = Math.min(next, settings.maxNumSeqs());
        if (settings.mode() != Mode.FULL) {
            return new Graph(Kind.PIECEWISE, next, 0);
        }
        return requests <= room ? new Graph(Kind.FULL, next, room) : eager(tokens);
    }
}
