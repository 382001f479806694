package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.SglangFixtures;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Prefill and decode engines of SGLang, with memory by hand. */
final class SglangDecodeQueuesTest {
    private final List<Integer> reserved = new ArrayList<>();
    private final List<SglangRequest> kept = new ArrayList<>();

    /** Records the calls of an engine. */
    private final class Connector implements SglangConnector {
        private final boolean isDecode;

        Connector(boolean isDecode) {
            this.isDecode = isDecode;
        }

        @Override
        public boolean isDecode() {
            return isDecode;
        }

        @Override
        public void reserved(SglangRequest request, int tokens) {
            reserved.add(request.index());
            assertThat(tokens).isEqualTo(request.prompt - 1);
        }

        @Override
        public boolean keeps(SglangRequest request) {
            kept.add(request);
            return !isDecode;
        }
    }

    private Sglang engine(boolean isDecode, int slots, int maxRunning) {
        return new Sglang(
                SglangFixtures.settings(Map.of("chunkedPrefillSize", 4096)),
                slots,
                maxRunning,
                new Connector(isDecode));
    }

    private static SglangRequest add(Sglang engine, int index, int prompt, int output) {
        return engine.add(index, prompt, output, Tokens.from(SharedTokens.promptOf(index)));
    }

    /** 3,000 slots: 1,000 and then 1,000 + 512 of the remaining 2,000 - 512 fit, but not a third prompt. */
    @Test
    void reservesMemoryInOrderOfArrival() {
        Sglang engine = engine(true, 3000, 10);
        SglangRequest first = add(engine, 0, 1001, 10);
        SglangRequest second = add(engine, 1, 901, 10);
        add(engine, 2, 1001, 10);
        add(engine, 3, 11, 10);
        assertThat(engine.plan().isEmpty()).isTrue();
        assertThat(reserved).containsExactly(0, 1);
        assertThat(engine.usedTokens()).isEqualTo(1900);
        assertThat(engine.waitingCount()).isEqualTo(4);
        engine.moved(second);
        SglangStep step = engine.plan();
        assertThat(step.parts).singleElement().satisfies(part -> {
            assertThat(part.request()).isSameAs(second);
            assertThat(part.tokens()).isEqualTo(1);
            assertThat(part.computed()).isEqualTo(900);
            assertThat(part.isPrompt()).isFalse();
        });
        engine.abort(first);
        engine.moved(first);
        engine.process(request -> {});
        engine.plan();
        assertThat(reserved).containsExactly(0, 1, 2);
    }

    @Test
    void decodesUntilEveryRequestHasEnded() {
        Sglang engine = engine(true, 2600, 2);
        List<SglangRequest> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(add(engine, i, 101 + i, 700));
        }
        int seen = 0;
        for (int turn = 0; turn < 5000 && engine.hasRequests(); turn++) {
            engine.plan();
            while (seen < reserved.size()) {
                engine.moved(requests.get(reserved.get(seen++)));
            }
            if (engine.stepsInFlight() > 0) {
                engine.process(request -> {});
            }
        }
        assertThat(requests).allMatch(SglangRequest::isFinished).allMatch(request -> request.output() == 700);
        assertThat(engine.usedTokens()).isZero();
    }

    /** A decode engine without memory for all running requests resumes a retracted one without a prefill. */
    @Test
    void resumesRetractedRequests() {
        TokenPool pool = new TokenPool(SglangFixtures.settings(Map.of("radixCache", false)), 2000);
        SglangDecodeQueues queues = new SglangDecodeQueues(pool, 10, new Connector(true));
        SglangRequest request = new SglangRequest(0, Tokens.from(SharedTokens.promptOf(0)), 1001, 500, 500);
        request.output = 99;
        request.isRetracted = true;
        queues.retract(request);
        queues.add(new SglangRequest(1, Tokens.from(SharedTokens.promptOf(1)), 11, 5, 5));
        List<SglangRequest> waiting = new ArrayList<>();
        queues.prepare(List.of(), waiting);
        assertThat(waiting).containsExactly(request);
        assertThat(request.isRetracted).isFalse();
        assertThat(reserved).as("10 tokens and 512 in reserve exceed 901 - 512").isEmpty();
        assertThat(pool.available()).isEqualTo(2000 - 1099);
    }

    @Test
    void keepsComputedPromptsUntilTheyAreTransferred() {
        Sglang engine = engine(false, 3000, 10);
        add(engine, 0, 1000, 1);
        add(engine, 1, 900, 1);
        engine.plan();
        engine.process(request -> {});
        assertThat(kept).hasSize(2);
        assertThat(engine.usedTokens()).isEqualTo(1900);
        kept.forEach(engine::moved);
        assertThat(engine.usedTokens()).isZero();
        assertThat(engine.plan().isEmpty()).isTrue();
        assertThat(engine.hasRequests()).isFalse();
    }
}
