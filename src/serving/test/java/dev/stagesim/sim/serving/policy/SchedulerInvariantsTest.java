package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Invariants of every step of every engine with random mixes of requests. */
final class SchedulerInvariantsTest {
    private static VllmSettings settings(SplittableRandom random, Speculation speculation) {
        boolean isAsync = random.nextBoolean();
        int batched = 16 + random.nextInt(64);
        Map<String, Object> changes = new LinkedHashMap<>();
        int seqs = 1 + random.nextInt(8);
        int threshold = random.nextInt(3) == 0 ? 7 : 0;
        changes.put(
                "pacing",
                new VllmSettings.Pacing(threshold, random.nextBoolean(), 1 + random.nextInt(8), 1 + random.nextInt(3)));
        changes.put("byPriority", random.nextBoolean());
        changes.put("watermark", random.nextInt(3) == 0 ? 0.05 : 0.0);
        changes.put("reserveFullSequence", random.nextBoolean());
        changes.put("asyncScheduling", isAsync);
        changes.put("pipelineStages", speculation.tokens() > 0 ? 1 : 1 + random.nextInt(3));
        VllmRules rules = VllmRules.values()[random.nextInt(2)];
        changes.put("version", new VllmSettings.Version(rules, 1 + random.nextInt(2)));
        changes.put("speculation", speculation);
        return VllmFixtures.settings(seqs, batched, changes);
    }

    private static List<KvGroup> groups(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> List.of(KvGroup.sliding(4, 10));
            case 1 -> List.of(KvGroup.full(4), KvGroup.sliding(4, 10));
            default -> List.of(KvGroup.full(4));
        };
    }

    private static RequestSpec request(SplittableRandom random, int index) {
        int shared = random.nextInt(30);
        int own = 1 + random.nextInt(40);
        Tokens tokens = new Tokens.Builder()
                .run(random.nextInt(3) * 1_000_000L, shared)
                .run(1_000_000_000L + index * 1000L, own)
                .then(2_000_000_000L + index * 1000L);
        return new RequestSpec(
                index,
                "r" + index,
                shared + own,
                RequestSpec.Output.of(1 + random.nextInt(20)),
                new RequestSpec.Urgency(random.nextInt(3), index),
                new RequestSpec.Identity(tokens, 0, 0, true, List.of()));
    }

    @RepeatedTest(60)
    void endsEveryRequestAndCountsEveryBlock(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        Speculation speculation =
                random.nextInt(3) == 0 ? Speculation.of(Speculation.Method.EAGLE, 2) : Speculation.NONE;
        VllmSettings settings = settings(random, speculation);
        List<KvGroup> groups = groups(random);
        int blocks = 80 * groups.size();
        PagedBlocks cache = new PagedBlocks(
                settings.layout(groups, blocks, random.nextInt(4) > 0, 120, false, 0, random.nextInt(2) - 1));
        VllmV1 scheduler = new VllmV1(settings, cache, new NoDraftAccepted(), null);
        EngineLoop loop = new EngineLoop(scheduler);
        Map<LiveRequest, Integer> tokens = new HashMap<>();
        List<LiveRequest> all = new ArrayList<>();
        int turns = 0;
        while (all.size() < 40 || loop.hasWork()) {
            if (all.size() < 40 && random.nextInt(3) == 0) {
                all.add(scheduler.add(request(random, all.size()), false));
            }
            if (loop.hasWork()) {
                turn(loop, scheduler, tokens);
            }
            assertThat(turns++).isLessThan(20_000);
        }

        assertThat(cache.free()).isEqualTo(blocks - 1);
        assertThat(all).allSatisfy(request -> {
            assertThat(request.status()).isEqualTo(LiveRequest.Status.LENGTH);
            assertThat(tokens.get(request))
                    .isEqualTo(request.spec().output().maxTokens())
                    .isEqualTo(request.output());
        });
        assertThat(scheduler.resetPrefixCache(false, new ArrayList<>())).isTrue();
        assertThat(cache.keyedBlocks()).isZero();
    }

    private static void turn(EngineLoop loop, VllmV1 scheduler, Map<LiveRequest, Integer> tokens) {
        VllmSettings settings = scheduler.settings();
        StepPlan plan = loop.plan(false);
        if (plan != null) {
            assertThat(plan.total()).isLessThanOrEqualTo(settings.tokens().scheduled());
            assertThat(scheduler.running()).hasSizeLessThanOrEqualTo(settings.maxNumSeqs());
            for (int i = 0; i < plan.size(); i++) {
                assertThat(plan.tokens(i)).isPositive();
                assertThat(plan.computed(i) + plan.tokens(i)).isLessThanOrEqualTo(120);
            }
        }
        if (loop.due(plan) != null) {
            loop.process(new StepResult(), (request, count) -> tokens.merge(request, count, Integer::sum));
        }
    }
}
