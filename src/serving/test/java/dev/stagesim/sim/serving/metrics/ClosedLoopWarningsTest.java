package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ClosedLoopWarningsTest {
    private static final IntToDoubleFunction SPREAD = i -> i < 4 ? 0 : i;
    private static final IntToDoubleFunction GROUPS = i -> Math.floorDiv(i, 4);
    private static final IntToDoubleFunction SLOW_START = i -> i < 4 ? 900 : 100;

    private static List<String> warnings(
            int requests, int warmUp, IntUnaryOperator output, IntToDoubleFunction entered, IntToDoubleFunction ttft) {
        return warnings(requests, warmUp, output, entered, ttft, true);
    }

    private static List<String> warnings(
            int requests,
            int warmUp,
            IntUnaryOperator output,
            IntToDoubleFunction entered,
            IntToDoubleFunction ttft,
            boolean isDrawn) {
        int[] prompts = new int[requests];
        int[] outputs = new int[requests];
        Arrays.fill(prompts, 1000);
        Arrays.setAll(outputs, output);
        RequestTrace trace = new RequestTrace(new double[requests], prompts, outputs);
        return new ClosedLoopWarnings(new ClosedLoop(4, 0, warmUp), trace, entered, ttft, isDrawn).all();
    }

    @Test
    void namesTheFirstRequestsAndTheKeyThatExcludesThem() {
        assertThat(warnings(40, 0, i -> i, SPREAD, SLOW_START))
                .containsExactly(
                        "ttft_p99_ms 900 is of the 4 requests that enter at the start, and 100 without them: set"
                                + " arrival.warmup_requests=4");
        assertThat(warnings(40, 4, i -> i, SPREAD, SLOW_START)).isEmpty();
        assertThat(warnings(40, 0, i -> i, SPREAD, i -> 100)).isEmpty();
    }

    @Test
    void reportsNothingIfTheLimitIsRarelyReached() {
        double[] arrivals = IntStream.range(0, 39).asDoubleStream().toArray();
        int[] tokens = IntStream.range(100, 139).toArray();
        RequestTrace trace = new RequestTrace(arrivals, tokens, tokens);
        ClosedLoop loop = new ClosedLoop(4, 0, 0);
        assertThat(new ClosedLoopWarnings(loop, trace, i -> i < 10 ? i + 0.5 : i, SLOW_START, true).all())
                .isEmpty();
        assertThat(new ClosedLoopWarnings(loop, trace, i -> i + 0.5, SLOW_START, true).all())
                .singleElement()
                .asString()
                .contains("mostly the start and the end of the loop");
    }

    @Test
    void namesAllKeysOfAShortLoop() {
        assertThat(warnings(39, 0, i -> i, SPREAD, SLOW_START))
                .singleElement()
                .asString()
                .contains("ttft_p99_ms 900")
                .endsWith(": set requests=40 or more and arrival.warmup_requests=4");
        assertThat(warnings(4, 0, i -> i, SPREAD, SLOW_START))
                .singleElement()
                .asString()
                .contains("none follows")
                .endsWith(": set requests=40 or more and arrival.warmup_requests=4");
        assertThat(warnings(39, 4, i -> i, SPREAD, SLOW_START))
                .singleElement()
                .asString()
                .endsWith(": set requests=40 or more");
    }

    /** No key of a run changes the requests of a measurement or of a file. */
    @Test
    void namesNoKeysIfTheRequestsAreGiven() {
        assertThat(warnings(39, 0, i -> i, SPREAD, SLOW_START, false))
                .singleElement()
                .asString()
                .endsWith(": use a file or run with 40 requests or more");
        assertThat(warnings(40, 0, i -> i, SPREAD, SLOW_START, false))
                .singleElement()
                .asString()
                .endsWith("and 100 without them");
        assertThat(warnings(40, 4, i -> 200, GROUPS, i -> 100, false))
                .singleElement()
                .asString()
                .endsWith("Clients with different outputs do not");
    }

    @Test
    void reportsEqualOutputsOnlyIfRequestsEnterInGroups() {
        assertThat(warnings(40, 4, i -> 200, GROUPS, i -> 100))
                .singleElement()
                .asString()
                .contains("groups of 4.00")
                .endsWith("prompt_tokens=900..1100 output_tokens=180..220");
        assertThat(warnings(40, 4, i -> 200, SPREAD, i -> 100)).isEmpty();
        assertThat(warnings(40, 4, i -> 200 + i % 2, GROUPS, i -> 100)).isEmpty();
    }
}
