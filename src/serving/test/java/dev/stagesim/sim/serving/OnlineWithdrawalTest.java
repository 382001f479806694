package dev.stagesim.sim.serving;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancelled requests leave their replica without an effect on other requests. */
class OnlineWithdrawalTest {
    private static SchedulerSpec scheduler(String name, SchedulerSpec.Limits limits) {
        return switch (name) {
            case "vllm" -> new SchedulerSpec.Vllm(limits, 512);
            case "sarathi" -> new SchedulerSpec.Sarathi(limits, 32);
            case "orca" -> new SchedulerSpec.Orca(ServingFixtures.limits(12, 4, 0, 4000));
            case "faster_transformer" -> new SchedulerSpec.FasterTransformer(ServingFixtures.limits(4, 4, 0, 8000));
            case "vllm_v1", "sglang" -> engine(name, 12);
            default -> new SchedulerSpec.LightLlm(ServingFixtures.limits(12, 1, 0, 400), 512, 3);
        };
    }

    /** Returns an engine with a prefix cache of 400 tokens. */
    private static SchedulerSpec engine(String name, int cap) {
        SchedulerSpec.Limits limits = ServingFixtures.limits(cap, 4, 0, 100);
        return name.equals("sglang")
                ? new SchedulerSpec.Sglang(
                        limits,
                        0.9,
                        4096,
                        true,
                        SglangFixtures.settings(Map.ofEntries(
                                entry("chunkedPrefillSize", 32),
                                entry("maxPrefillTokens", 512),
                                entry("pageSize", 4),
                                entry("order", SchedulePolicy.LPM),
                                entry("conservativeness", 0.1),
                                entry("mixedChunk", true),
                                entry("overlap", true))))
                : VllmFixtures.engine(
                        VllmFixtures.settings(cap, 64, Map.of("asyncScheduling", true)), 100, Map.of("blockSize", 4));
    }

    /** Follows the requests in each slot and checks the order of their events. */
    private static final class Follower implements ServingRecorder {
        final int[] owner;
        final List<String> tokens = new ArrayList<>();
        final TreeMap<Integer, Integer> count = new TreeMap<>();
        final TreeMap<Integer, String> ended = new TreeMap<>();
        final long[] usedBlocks = new long[8];

        Follower(int places) {
            owner = new int[places];
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS, Signal.MEMORY);
        }

        @Override
        public void tokenEmitted(int place, int index, double time) {
            assertThat(ended.getOrDefault(owner[place], "completed")).isEqualTo("completed");
            count.merge(owner[place], 1, Integer::sum);
            tokens.add(String.format(Locale.ROOT, "%s %d %d", Double.toString(time), owner[place], index));
        }

        @Override
        public void requestCompleted(int place, double time, RequestStates states) {
            assertThat(ended.put(owner[place], "completed")).isNull();
        }

        @Override
        public void requestWithdrawn(int place, double time) {
            assertThat(ended.put(owner[place], "withdrawn")).isNull();
        }

        @Override
        public void memorySample(int replica, double time, long allocated, long total) {
            usedBlocks[replica] = allocated;
        }

        int tokensOf(int request) {
            return count.getOrDefault(request, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm", "sarathi", "orca", "faster_transformer", "lightllm", "vllm_v1", "sglang"})
    void endsEveryRequestOnceAndFreesMemoryWithCancellations(String name) {
        RandomStream draws = RandomStream.of(11, "withdrawals " + name);
        for (int replicas : new int[] {1, 2}) {
            ServingSpec spec =
                    ServingFixtures.spec(scheduler(name, ServingFixtures.limits(12, 4, 0.01, 60)), replicas, 1, false);
            Follower all = new Follower(64);
            OnlineServing serving = new OnlineServing(spec, ServingFixtures.flat(), 64, () -> 1.0, all);
            List<int[]> inProgress = new ArrayList<>();
            double now = 0;
            for (int i = 0; i < 300; i++) {
                now += draws.nextDouble() * 0.01;
                if (!serving.isFull()) {
                    int place = serving.submit(now, 1 + (int) draws.below(60), 1 + (int) draws.below(30));
                    all.owner[place] = i;
                    inProgress.add(new int[] {i, place});
                }
                inProgress.removeIf(one -> all.ended.containsKey(one[0]));
                if (!inProgress.isEmpty() && draws.below(3) == 0) {
                    int[] one = inProgress.get((int) draws.below(inProgress.size()));
                    now += draws.below(2) * draws.nextDouble() * 0.002;
                    serving.withdraw(now, one[1]);
                    // A second withdrawal has no effect.
                    if (!all.ended.containsKey(one[0])) {
                        serving.withdraw(now, one[1]);
                    }
                }
            }
            serving.advanceTo(Double.MAX_VALUE);
            assertThat(serving.inProgress()).isZero();
            assertThat(serving.nextSeconds()).isInfinite();
            assertThat(all.usedBlocks).containsOnly(0);
            assertThat(all.ended.values()).contains("withdrawn", "completed");
        }
    }

    /** Queued requests leave at once. Requests in a step of 1 ms leave at the end of the step. */
    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void removesRunningRequestsAtTheEndOfAStep(String name) {
        Follower all = new Follower(2);
        ServingSpec spec = ServingFixtures.spec(engine(name, 1), 1, 1, false);
        OnlineServing serving = new OnlineServing(spec, ServingFixtures.flat(), 2, () -> 1.0, all);
        int running = serving.submit(0, 8, 20);
        int waiting = serving.submit(0, 8, 20);
        all.owner[waiting] = 1;
        serving.advanceTo(0.0025);
        serving.withdraw(0.0025, waiting);
        assertThat(all.ended).containsOnlyKeys(1);
        serving.withdraw(0.0025, running);
        assertThat(all.ended).containsOnlyKeys(1);
        serving.advanceTo(0.01);
        assertThat(all.ended).containsOnlyKeys(0, 1);
        assertThat(all.ended.values()).containsOnly("withdrawn");
        assertThat(all.tokensOf(0)).isLessThan(5);
    }

    /** Every step takes 1 ms, so the number of prompt tokens per step reveals prefix cache hits. */
    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void separatesTokensOfReusedSlots(String name) {
        List<Integer> prompts = new ArrayList<>();
        ServingRecorder follower = new ServingRecorder() {
            @Override
            public Set<Signal> signals() {
                return EnumSet.of(Signal.BATCHES);
            }

            @Override
            public void batchEnded(Batch batch, double time, RequestStates states) {
                prompts.add(batch.prefillTokens);
            }
        };
        OnlineServing serving = new OnlineServing(
                ServingFixtures.spec(engine(name, 12), 1, 1, false), ServingFixtures.flat(), 1, () -> 1.0, follower);
        for (int i = 0; i < 3; i++) {
            serving.submit(i, 30, 2);
            serving.advanceTo(i + 0.9);
        }
        assertThat(prompts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(90);
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm", "sarathi", "orca"})
    void servesOtherRequestsAsWithShorterOutputs(String name) {
        ServingSpec spec = ServingFixtures.spec(scheduler(name, ServingFixtures.limits(64, 4, 0, 9000)), 1, 1, false);
        RandomStream draws = RandomStream.of(5, "others " + name);
        int n = 60;
        double[][] rows = new double[n][];
        double at = 0;
        for (int i = 0; i < n; i++) {
            at += draws.nextDouble() * 0.01;
            rows[i] = ServingFixtures.request(at, 1 + (int) draws.below(30), 2 + (int) draws.below(40));
        }
        Follower online = new Follower(n);
        OnlineServing serving = new OnlineServing(spec, ServingFixtures.flat(), n, () -> 1.0, online);
        int[] places = new int[n];
        int givenUp = 0;
        for (int i = 0; i < n; i++) {
            places[i] = serving.submit(rows[i][0], (int) rows[i][1], (int) rows[i][2]);
            online.owner[places[i]] = i;
            int victim = i - 3;
            if (victim >= 0 && victim % 3 == 0 && online.tokensOf(victim) > 0 && !online.ended.containsKey(victim)) {
                serving.withdraw(rows[i][0], places[victim]);
                givenUp++;
            }
        }
        serving.advanceTo(Double.MAX_VALUE);
        assertThat(givenUp).isGreaterThan(1);
        for (int i = 0; i < n; i++) {
            rows[i] = ServingFixtures.request(rows[i][0], (int) rows[i][1], online.tokensOf(i));
        }
        Follower whole = new Follower(n);
        for (int i = 0; i < n; i++) {
            whole.owner[i] = i;
        }
        ServingSimulator.run(spec, ServingFixtures.trace(rows), ServingFixtures.flat(), whole);
        assertThat(online.tokens).isEqualTo(whole.tokens);
    }

    @Test
    void removesWaitingRequestsAtOnce() {
        ServingSpec spec =
                ServingFixtures.spec(scheduler("sarathi", ServingFixtures.limits(1, 4, 0, 1000)), 1, 1, false);
        Follower all = new Follower(2);
        OnlineServing serving = new OnlineServing(spec, ServingFixtures.flat(), 2, () -> 1.0, all);
        all.owner[serving.submit(0, 4, 10)] = 1;
        int waiting = serving.submit(0, 4, 10);
        all.owner[waiting] = 2;
        serving.advanceTo(0.0025);
        assertThat(serving.isFull()).isTrue();
        serving.withdraw(0.0025, waiting);
        assertThat(all.ended).containsEntry(2, "withdrawn");
        assertThat(serving.isFull()).isFalse();
        int again = serving.submit(0.0026, 4, 1);
        all.owner[again] = 3;
        serving.advanceTo(1);
        assertThat(all.tokensOf(1)).isEqualTo(10);
        assertThat(all.tokensOf(2)).isZero();
        assertThat(all.tokensOf(3)).isEqualTo(1);
    }

    @Test
    void dropsRequestsBeforeTheirAssignment() {
        ServingSpec spec =
                ServingFixtures.spec(scheduler("sarathi", ServingFixtures.limits(8, 4, 0, 1000)), 1, 1, false);
        ServingSpec late = new ServingSpec(
                spec.model(),
                spec.footprint(),
                spec.cluster(),
                spec.scheduler(),
                spec.timing().withRequestSeconds(0.01),
                spec.maxTokens(),
                0,
                VidurQuirk.NONE);
        Follower all = new Follower(2);
        OnlineServing serving = new OnlineServing(late, ServingFixtures.flat(), 2, () -> 1.0, all);
        int place = serving.submit(0, 4, 10);
        all.owner[place] = 1;
        serving.withdraw(0.005, place);
        assertThat(all.ended).isEmpty();
        serving.advanceTo(1);
        assertThat(all.ended).containsEntry(1, "withdrawn");
        assertThat(all.tokens).isEmpty();
        assertThat(serving.inProgress()).isZero();
    }
}
