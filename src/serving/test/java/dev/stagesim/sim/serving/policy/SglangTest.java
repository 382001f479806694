package dev.stagesim.sim.serving.policy;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.SglangFixtures;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SglangTest {
    private int requests = 100;
    private int chunk = 100;
    private int total = 1000;
    private int page = 1;
    private SchedulePolicy order = SchedulePolicy.FCFS;
    private boolean isCached = true;
    private boolean isMixed;
    private SglangRules rules = SglangRules.NEWEST;
    private boolean overlaps;
    private int maxNew;
    private double conservativeness = 1;
    private int made;

    private SglangSettings settings() {
        return SglangFixtures.settings(Map.ofEntries(
                entry("chunkedPrefillSize", chunk),
                entry("pageSize", page),
                entry("order", order),
                entry("conservativeness", conservativeness),
                entry("radixCache", isCached),
                entry("eviction", RadixTree.EvictionRule.of(RadixTree.Eviction.LRU, SglangRules.V0_5)),
                entry("mixedChunk", isMixed),
                entry("overlap", overlaps),
                entry("maxNewTokens", maxNew)));
    }

    /** Adds a request that shares no tokens with other requests. */
    private SglangRequest add(Sglang scheduler, int prompt, int output) {
        return scheduler.add(made, prompt, output, Tokens.from(1_000_000L * ++made));
    }

    /** A step as text: request, tokens and, after @, tokens computed before. */
    private static String text(SglangStep step) {
        StringBuilder text = new StringBuilder(step.hasPrompts() ? "prompts" : "decodes");
        for (SglangStep.Part part : step.parts) {
            text.append(' ').append(part.request().index()).append(':').append(part.tokens());
            text.append('@').append(part.computed());
        }
        return text.toString();
    }

    private static String next(Sglang scheduler) {
        String text = text(scheduler.plan());
        if (scheduler.stepsInFlight() > 0) {
            scheduler.process(request -> {});
        }
        return text;
    }

    private static void assertDefaults(double gib, int tensor, SglangRules rules, int chunk, double share) {
        SglangSettings.Defaults defaults =
                new SglangSettings.Defaults(gib, new SglangSettings.Parallelism(tensor, 1, 1, false), false, rules);
        assertThat(defaults.chunkedPrefillSize()).isEqualTo(chunk);
        assertThat(defaults.memFractionStatic(chunk)).isEqualTo(share);
    }

    /** The defaults of SGLang 0.5.23 as its server arguments resolve them on devices of these sizes. */
    @ParameterizedTest
    @CsvSource({
        "16, 1, 2048, 0.752", "16, 8, 2048, 0.697", "24, 1, 4096, 0.704", "24, 8, 4096, 0.658",
        "32, 1, 4096, 0.778", "32, 8, 4096, 0.744", "48, 1, 4096, 0.853", "48, 8, 4096, 0.829",
        "80, 1, 8192, 0.830", "80, 8, 8192, 0.813", "141, 1, 8192, 0.904", "141, 8, 8192, 0.894",
        "180, 1, 16384, 0.854", "180, 8, 16384, 0.850",
    })
    void reservesGraphsOfPromptsSinceVersion523(double gib, int tensor, int chunk, double share) {
        assertDefaults(gib, tensor, SglangRules.NEWEST, chunk, share);
    }

    /** 80 GiB, 8192 tokens, 256 graphs: 512 + 12288 + 512 + 128 MiB of 81920 stay free; 1 - 13440 / 81920 = 0.836. */
    @Test
    void derivesDefaultsFromMemory() {
        assertDefaults(80, 1, SglangRules.V0_5, 8192, 0.836);
        // 512 + 3072 + 48 + 128 of 24576
        assertDefaults(24, 1, SglangRules.V0_5, 2048, 0.847);
        // 512 + 24576 + 1024 + 1024 of 184320
        assertDefaults(180, 8, SglangRules.V0_5, 16384, 0.853);
        assertThat(SglangSettings.defaultRunning(400_000, 131_072)).isEqualTo(2048);
        assertThat(SglangSettings.defaultRunning(400_000, 65_536)).isEqualTo(3125);
        assertThat(SglangSettings.defaultRunning(400_000, 8192)).isEqualTo(4096);
    }

    /** 12 prompt tokens per step: the first prompt and 2 tokens of the second, then its rest, then both decode. */
    @Test
    void splitsPromptsAndRunsThemBeforeDecodes() {
        chunk = 12;
        Sglang scheduler = new Sglang(settings(), total, requests);
        add(scheduler, 10, 3);
        add(scheduler, 10, 3);

        assertThat(next(scheduler)).isEqualTo("prompts 0:10@0 1:2@0");
        assertThat(next(scheduler)).isEqualTo("prompts 1:8@2");
        add(scheduler, 5, 1);
        assertThat(next(scheduler)).isEqualTo("prompts 2:5@0");
        assertThat(next(scheduler)).isEqualTo("decodes 0:1@10 1:1@10");
        assertThat(next(scheduler)).isEqualTo("decodes 0:1@11 1:1@11");
        assertThat(next(scheduler)).isEqualTo("decodes");
        assertThat(scheduler.hasRequests()).isFalse();
        assertThat(scheduler.usedTokens()).isZero();
    }

    @Test
    void combinesDecodesAndPromptsInMixedSteps() {
        chunk = 12;
        isMixed = true;
        Sglang scheduler = new Sglang(settings(), total, requests);
        add(scheduler, 10, 3);
        next(scheduler);
        add(scheduler, 20, 2);

        // The decode uses one of the 12 tokens.
        assertThat(next(scheduler)).isEqualTo("prompts 1:11@0 0:1@10");
        assertThat(next(scheduler)).isEqualTo("prompts 1:9@11 0:1@11");
        assertThat(next(scheduler)).isEqualTo("decodes 1:1@20");
    }

    /**
     * With overlap scheduling, the end of a request is detected one step late, so the request takes part in one more
     * step.
     */
    @Test
    void runsOneStepMoreWithOverlap() {
        overlaps = true;
        Sglang scheduler = new Sglang(settings(), total, requests);
        SglangRequest request = add(scheduler, 10, 2);

        assertThat(text(scheduler.plan())).isEqualTo("prompts 0:10@0");
        assertThat(text(scheduler.plan())).isEqualTo("decodes 0:1@10");
        scheduler.process(done -> {});
        assertThat(text(scheduler.plan())).isEqualTo("decodes 0:1@11");
        scheduler.process(done -> {});
        assertThat(request.isFinished()).isTrue();
        assertThat(text(scheduler.plan())).isEqualTo("decodes");
        scheduler.process(
                done -> assertThat(done).as("no request receives a token").isNull());
        assertThat(request.output).isEqualTo(2);
        assertThat(scheduler.hasRequests()).isFalse();
    }

    /**
     * The ratio starts at 0.7, falls towards 0.098 by a 600th of the difference per decode step, and resets to 0.7 when
     * idle.
     */
    @Test
    void lowersTheReservedShare() {
        Sglang scheduler = new Sglang(settings(), total, requests);
        add(scheduler, 10, 5);
        for (int i = 0; i < 4; i++) {
            next(scheduler);
        }
        assertThat(scheduler.ratio()).isEqualTo(0.7 - 3 * (0.7 - 0.098) / 600, within(1e-12));
        for (int i = 0; i < 3; i++) {
            next(scheduler);
        }
        assertThat(scheduler.ratio()).isEqualTo(0.7);
    }

    /**
     * 60 tokens. A needs 10 + 20 + 1 < 60. B needs 10 + 20 + 1, which is not less than 60 - (10 + 20 + 1), so it waits.
     * While A decodes, at most 0.7 x 19 tokens are reserved for it: 31 < 60 - 11 - 13.3.
     */
    @Test
    void reservesAShareOfTheOutputOnAdmission() {
        total = 60;
        Sglang scheduler = new Sglang(settings(), total, requests);
        add(scheduler, 10, 20);
        add(scheduler, 10, 20);

        assertThat(next(scheduler)).isEqualTo("prompts 0:10@0");
        assertThat(scheduler.limit()).isEqualTo(Sglang.Limit.MEMORY);
        // The scheduler skips admission until a request completes.
        for (int i = 0; i < 19; i++) {
            assertThat(next(scheduler)).startsWith("decodes 0:1");
        }
        assertThat(next(scheduler)).isEqualTo("decodes");
        assertThat(next(scheduler)).isEqualTo("prompts 1:10@0");
    }

    /**
     * 24 slots without reservation. A has 5 tokens and B 3 when both decode, and after 8 steps the slots are full. A
     * has 10 output tokens and B 9, so B is retracted. After A completes, B is admitted again with 12 tokens to
     * compute.
     */
    @Test
    void retractsTheShortestOutputWhenMemoryRunsOut() {
        total = 24;
        isCached = false;
        conservativeness = 1e-9;
        Sglang scheduler = new Sglang(settings(), total, requests);
        add(scheduler, 4, 12);
        next(scheduler);
        next(scheduler);
        add(scheduler, 3, 11);
        assertThat(next(scheduler)).isEqualTo("prompts 1:3@0");
        for (int i = 0; i < 8; i++) {
            assertThat(next(scheduler)).isEqualTo("decodes 0:1@" + (5 + i) + " 1:1@" + (3 + i));
        }

        SglangStep step = scheduler.plan();
        assertThat(step.retracted).extracting(SglangRequest::index).containsExactly(1);
        assertThat(text(step)).isEqualTo("decodes 0:1@13");
        // (10 + 20) / (12 + 1) exceeds 1.
        assertThat(scheduler.ratio()).isEqualTo(1);
        scheduler.process(request -> {});
        assertThat(next(scheduler)).isEqualTo("decodes 0:1@14");
        assertThat(next(scheduler)).isEqualTo("decodes");
        assertThat(next(scheduler)).isEqualTo("prompts 1:12@0");
    }

    @Test
    void skipsACachedPrefix() {
        Sglang scheduler = new Sglang(settings(), total, requests);
        Tokens shared = new Tokens.Builder().run(7, 30).then(1_000_000);
        scheduler.add(0, 40, 1, shared);
        next(scheduler);
        scheduler.add(1, 50, 1, new Tokens.Builder().run(7, 30).then(2_000_000));
        SglangStep step = scheduler.plan();
        assertThat(text(step)).isEqualTo("prompts 1:20@30");
        assertThat(step.admitted.get(0).hit()).isEqualTo(30);
        scheduler.process(request -> {});
        // For a repeated prompt, only the last token is computed.
        scheduler.add(2, 40, 1, shared);
        assertThat(next(scheduler)).isEqualTo("prompts 2:1@39");
    }

    @Test
    void ordersByLongestPrefix() {
        order = SchedulePolicy.LPM;
        requests = 1;
        Sglang scheduler = new Sglang(settings(), total, requests);
        scheduler.add(0, 40, 1, new Tokens.Builder().run(7, 40).then(1_000_000));
        next(scheduler);
        scheduler.add(1, 50, 1, Tokens.from(5_000_000));
        scheduler.add(2, 50, 1, new Tokens.Builder().run(7, 40).then(2_000_000));

        assertThat(next(scheduler)).isEqualTo("prompts 2:10@40");
    }

    /** Returns random settings that the second implementation supports. */
    private SglangSettings random(SplittableRandom random) {
        page = random.nextInt(3) == 0 ? 8 : 1;
        isCached = false;
        isMixed = random.nextInt(3) == 0;
        overlaps = random.nextBoolean();
        requests = 1 + random.nextInt(12);
        chunk = random.nextInt(4) == 0 ? 0 : 24 + random.nextInt(60);
        order = random.nextBoolean() ? SchedulePolicy.FCFS : SchedulePolicy.LOF;
        total = 130 + random.nextInt(400);
        maxNew = random.nextInt(3) == 0 ? random.nextInt(60) : 0;
        return SglangFixtures.settings(Map.ofEntries(
                entry("chunkedPrefillSize", chunk),
                entry("maxPrefillTokens", 50 + random.nextInt(100)),
                entry("pageSize", page),
                entry("order", order),
                entry("conservativeness", random.nextInt(3) == 0 ? 0.1 : 1),
                entry("radixCache", isCached),
                entry("eviction", RadixTree.EvictionRule.of(RadixTree.Eviction.LRU, rules)),
                entry("mixedChunk", isMixed),
                entry("overlap", overlaps),
                entry("maxNewTokens", maxNew)));
    }

    @Test
    void matchesASecondImplementation() {
        comparePlain(20);
    }

    @Test
    @Tag("long")
    void matchesASecondImplementationInManyRuns() {
        comparePlain(400);
    }

    private void comparePlain(int seeds) {
        rules = SglangRules.V0_5;
        int retracted = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SglangSettings settings = random(random);
            Sglang scheduler = new Sglang(settings, total, requests);
            PlainSglang plain = new PlainSglang(settings, total, requests);
            int added = 0;
            int idle = 0;
            while (added < 40 || (scheduler.hasRequests() && idle < 5)) {
                while (added < 40 && random.nextInt(3) == 0) {
                    int prompt = 1 + random.nextInt(60);
                    int output = 1 + random.nextInt(50);
                    scheduler.add(added, prompt, output, Tokens.from(1_000_000L * added));
                    plain.add(added++, prompt, output);
                }
                SglangStep step = scheduler.plan();
                assertThat(text(step)).as("seed %d", seed).isEqualTo(text(plain.plan()));
                assertThat(step.retracted.stream().map(SglangRequest::index))
                        .isEqualTo(
                                plain.lost.stream().map(request -> request.id).toList());
                assertThat(scheduler.ratio()).isEqualTo(plain.ratio);
                retracted += step.retracted.size();
                idle = step.parts.isEmpty() ? idle + 1 : 0;
                if (scheduler.stepsInFlight() == settings.stepsInFlight()
                        || (step.parts.isEmpty() && scheduler.stepsInFlight() > 0)) {
                    scheduler.process(request -> {});
                    plain.process();
                }
            }
            assertThat(plain.all).as("seed %d", seed).allMatch(request -> request.done);
        }
        assertThat(retracted).as("retractions over all mixes").isGreaterThan(seeds / 4 - 1);
    }

    /** Returns the requests of a step and their attended tokens, in lockstep or not. */
    private static String members(SglangStep step) {
        long kv = step.group() == null ? 0 : step.group().kvTokens();
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < step.inStep(); i++) {
            ids.add(step.group().ids()[i]);
        }
        for (SglangStep.Part part : step.parts) {
            ids.add(part.request().index());
            kv += part.computed() + part.tokens();
        }
        return ids.stream().sorted().toList() + " " + kv;
    }

    @Test
    void matchesIndividualPlanningWithCancellations() {
        compareWithAborts(10);
    }

    @Test
    @Tag("long")
    void matchesIndividualPlanningWithCancellationsInManyRuns() {
        compareWithAborts(400);
    }

    private void compareWithAborts(int seeds) {
        int together = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            rules = SglangRules.values()[seed % 2];
            SglangSettings settings = random(random);
            Sglang one = new Sglang(settings, total, requests);
            Sglang other = new Sglang(settings, total, requests);
            other.enableLockstep();
            List<SglangRequest> left = new ArrayList<>();
            List<SglangRequest> right = new ArrayList<>();
            int idle = 0;
            while (left.size() < 40 || (one.hasRequests() && idle < 5)) {
                while (left.size() < 40 && random.nextInt(4) == 0) {
                    int prompt = 1 + random.nextInt(60);
                    int output = 1 + random.nextInt(50);
                    Tokens tokens = Tokens.from(1_000_000L * left.size());
                    left.add(one.add(left.size(), prompt, output, tokens));
                    right.add(other.add(right.size(), prompt, output, tokens));
                }
                int given = left.isEmpty() || random.nextInt(40) > 0 ? -1 : random.nextInt(left.size());
                if (given >= 0 && !left.get(given).isFinished()) {
                    one.abort(left.get(given));
                    other.abort(right.get(given));
                }
                SglangStep step = one.plan();
                SglangStep same = other.plan();
                assertThat(members(same)).as("seed %d", seed).isEqualTo(members(step));
                assertThat(other.ratio()).isEqualTo(one.ratio());
                assertThat(other.usedTokens()).isEqualTo(one.usedTokens());
                assertThat(same.retracted.stream().map(SglangRequest::index))
                        .containsExactlyElementsOf(step.retracted.stream()
                                .map(SglangRequest::index)
                                .toList());
                together += same.inStep();
                idle = step.isEmpty() ? idle + 1 : 0;
                if (one.stepsInFlight() == settings.stepsInFlight() || (step.isEmpty() && one.stepsInFlight() > 0)) {
                    one.process(request -> {});
                    other.process(request -> {});
                }
                for (int i = 0; i < left.size(); i++) {
                    assertThat(right.get(i).output()).isEqualTo(left.get(i).output());
                    assertThat(right.get(i).isFinished()).isEqualTo(left.get(i).isFinished());
                }
            }
        }
        assertThat(together).as("decodes planned in step").isGreaterThan(25 * seeds);
    }

    private static String text(List<PlainSglang.Part> step) {
        StringBuilder text = new StringBuilder(!step.isEmpty() && step.get(0).isPrompt() ? "prompts" : "decodes");
        for (PlainSglang.Part part : step) {
            text.append(' ').append(part.member().id).append(':').append(part.tokens());
            text.append('@').append(part.before());
        }
        return text.toString();
    }

    @RepeatedTest(80)
    void endsEveryRequestAndFreesAllMemory(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        SglangSettings drawn = random(random);
        SglangSettings settings = KeyRecord.with(
                SglangSettings.class,
                drawn,
                Map.of(
                        "order",
                        List.of(SchedulePolicy.values()).get(random.nextInt(6)),
                        "radixCache",
                        true,
                        "eviction",
                        RadixTree.EvictionRule.of(
                                RadixTree.Eviction.values()[random.nextInt(8)],
                                SglangRules.values()[random.nextInt(2)])));
        Sglang scheduler = new Sglang(settings, total, requests);
        List<SglangRequest> all = new ArrayList<>();
        List<Integer> outputs = new ArrayList<>();
        int turns = 0;
        while (all.size() < 50 || scheduler.hasRequests()) {
            if (all.size() < 50 && random.nextInt(3) == 0) {
                int shared = random.nextInt(40);
                int own = 1 + random.nextInt(20);
                outputs.add(1 + random.nextInt(50));
                all.add(scheduler.add(
                        all.size(),
                        shared + own,
                        outputs.get(all.size()),
                        new Tokens.Builder()
                                .run(random.nextInt(3) * 1_000_000L, shared)
                                .then(10_000_000L * (1 + all.size()))));
            }
            SglangStep step = scheduler.plan();
            check(step, settings);
            if (scheduler.stepsInFlight() == settings.stepsInFlight()
                    || (step.parts.isEmpty() && scheduler.stepsInFlight() > 0)) {
                scheduler.process(request -> {});
            }
            assertThat(turns++).isLessThan(20_000);
        }
        assertThat(scheduler.usedTokens()).isZero();
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).output).isEqualTo(outputs.get(i));
        }
    }

    private void check(SglangStep step, SglangSettings settings) {
        assertThat(step.parts).allMatch(part -> part.tokens() > 0).hasSizeLessThanOrEqualTo(requests + 1);
        int prompts = step.parts.stream()
                .mapToInt(part -> part.isPrompt() ? part.tokens() : 0)
                .sum();
        if (settings.chunkedPrefillSize() > 0) {
            assertThat(prompts).isLessThanOrEqualTo(settings.chunkedPrefillSize());
        }
    }
}
