package dev.stagesim.sim.serving.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests without shared tokens use the same blocks, whether their keys are hidden or not. */
final class HiddenKeysTest {
    private static final int STEP = 16;
    private static final List<List<KvGroup>> LAYERS = List.of(
            List.of(KvGroup.full(4)),
            List.of(KvGroup.full(4), KvGroup.sliding(4, 10)),
            List.of(KvGroup.sliding(4, 10), KvGroup.full(4), KvGroup.sliding(4, 22)));

    /** One request in both caches. */
    private static final class Pair {
        final RequestSpec spec;
        final int end;
        RequestBlocks visible;
        RequestBlocks hidden;
        int known;
        int computed;

        Pair(int index, int prompt, int output, PagedBlocks plain, PagedBlocks hiding) {
            spec = new RequestSpec(
                    index,
                    "r" + index,
                    prompt,
                    RequestSpec.Output.of(output),
                    new RequestSpec.Urgency(0, index),
                    new RequestSpec.Identity(Tokens.from(index * 10_000L), 0, 0, true, List.of()));
            end = prompt + output;
            known = prompt;
            visible = plain.open(spec);
            hidden = hiding.open(spec);
            hiding.alone(hidden);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {KvLayout.DENSE, 0, 16})
    void allocatesTheSameBlocks(int retention) {
        int reusedInAll = 0;
        for (List<KvGroup> groups : LAYERS) {
            for (int seed = 0; seed < 20; seed++) {
                Run one = new Run(new SplittableRandom(seed), groups, retention);
                one.runAll();
                assertThat(one.restarted).isPositive();
                reusedInAll += one.reused;
            }
        }
        assertThat(reusedInAll).as("tokens that preempted requests find again").isPositive();
    }

    private static List<Integer> values(IntList list) {
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            values.add(list.get(i));
        }
        return values;
    }

    /** Random requests in two caches of a few blocks. */
    private static final class Run {
        private final PagedBlocks plain;
        private final PagedBlocks hiding;
        private final SplittableRandom random;
        private final List<Pair> running = new ArrayList<>();
        private final List<Pair> waiting = new ArrayList<>();
        private final BlockAllocation ask = new BlockAllocation();
        private int restarted;
        private int reused;

        Run(SplittableRandom random, List<KvGroup> groups, int retention) {
            this.random = random;
            KvLayout layout = new KvLayout(groups, 60, true, 0, retention, 200, STEP, false, 0, 0, VllmRules.NEWEST);
            plain = new PagedBlocks(layout);
            hiding = new PagedBlocks(layout);
        }

        private void runAll() {
            for (int step = 0; step < 400; step++) {
                plain.beginStep();
                hiding.beginStep();
                if (waiting.isEmpty()) {
                    waiting.add(new Pair(step, 5 + random.nextInt(50), 1 + random.nextInt(60), plain, hiding));
                }
                if (running.size() < 4 && random.nextInt(3) == 0) {
                    start(waiting.get(0));
                }
                for (Pair pair : List.copyOf(running)) {
                    if (running.contains(pair)) {
                        advance(pair);
                    }
                }
                assertThat(values(hiding.queue())).isEqualTo(values(plain.queue()));
                assertThat(values(hiding.evicted())).isEqualTo(values(plain.evicted()));
                assertThat(hiding.keyedBlocks()).isEqualTo(plain.keyedBlocks());
            }
        }

        private void start(Pair pair) {
            int found = plain.find(pair.visible, pair.known).tokens();
            assertThat(hiding.find(pair.hidden, pair.known).tokens()).isEqualTo(found);
            if (grow(pair, 0, found, Math.min(STEP, pair.known - found))) {
                reused += found;
                waiting.remove(pair);
                running.add(pair);
            }
            plain.noMatch();
            hiding.noMatch();
        }

        private void advance(Pair pair) {
            if (pair.computed == pair.end) {
                running.remove(pair);
                plain.release(pair.visible);
                hiding.release(pair.hidden);
                return;
            }
            pair.known = Math.max(pair.known, pair.computed + 1);
            while (!grow(pair, pair.computed, 0, Math.min(STEP, pair.known - pair.computed))) {
                Pair last = running.remove(running.size() - 1);
                hiding.show(last.hidden);
                plain.release(last.visible);
                hiding.release(last.hidden);
                last.computed = 0;
                restarted++;
                waiting.add(0, last);
                if (last == pair) {
                    return;
                }
            }
        }

        private boolean grow(Pair pair, int computed, int matched, int scheduled) {
            boolean isGiven = plain.grow(pair.visible, ask.running(computed, scheduled, 0, pair.known, 0));
            assertThat(hiding.grow(pair.hidden, ask.running(computed, scheduled, 0, pair.known, 0)))
                    .isEqualTo(isGiven);
            for (int group = 0; group < plain.layout().groups().size(); group++) {
                assertThat(values(pair.hidden.blocks(group))).isEqualTo(values(pair.visible.blocks(group)));
            }
            pair.computed = isGiven ? computed + matched + scheduled : pair.computed;
            return isGiven;
        }
    }
}
