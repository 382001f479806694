package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.request.MediaItem;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Limits of a step other than tokens: LoRA adapters and encoder outputs. */
final class StepLimitsTest {
    private static final int BATCHED = 48;

    private static EngineLoop loop(VllmV1 scheduler) {
        return new EngineLoop(scheduler);
    }

    private static VllmV1 scheduler(int loras, int encoderTokens, boolean isAsync, boolean byPriority) {
        PagedBlocks cache = new PagedBlocks(KvLayout.single(KvGroup.full(4), 300, true, 200));
        return new VllmV1(
                VllmFixtures.settings(
                        8,
                        BATCHED,
                        Map.of(
                                "tokens",
                                new VllmSettings.StepTokens(BATCHED, BATCHED, encoderTokens),
                                "byPriority",
                                byPriority,
                                "asyncScheduling",
                                isAsync,
                                "maxLoras",
                                loras)),
                cache,
                new NoDraftAccepted(),
                null);
    }

    private static RequestSpec spec(int index, int prompt, int output, int adapter, List<MediaItem> media) {
        return new RequestSpec(
                index,
                "r" + index,
                prompt,
                RequestSpec.Output.of(output),
                new RequestSpec.Urgency(index % 3, index),
                new RequestSpec.Identity(Tokens.from(index * 1_000_000L), 0, adapter, true, media));
    }

    private static void end(EngineLoop loop, StepPlan plan) {
        if (loop.due(plan) != null) {
            loop.process(new StepResult(), (request, count) -> {});
        }
    }

    private static List<Integer> indexes(StepPlan plan) {
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            indexes.add(plan.request(i).spec().index());
        }
        return indexes;
    }

    @Test
    void skipsRequestsOfFurtherAdaptersAndKeepsTheirPlace() {
        VllmV1 scheduler = scheduler(2, BATCHED, false, false);
        EngineLoop loop = loop(scheduler);
        int[] adapters = {1, 2, 3, 0, 2};
        for (int i = 0; i < adapters.length; i++) {
            scheduler.add(spec(i, 5, 2 + i % 2, adapters[i], List.of()), false);
        }
        StepPlan first = loop.plan(false);
        assertThat(indexes(first)).containsExactly(0, 1, 3, 4);
        end(loop, first);
        StepPlan second = loop.plan(false);
        assertThat(indexes(second)).as("both adapters decode").containsExactly(0, 1, 3, 4);
        end(loop, second);
        // Request 0 has completed, so adapter 1 is free.
        assertThat(indexes(loop.plan(false))).containsExactly(1, 3, 2);
    }

    @RepeatedTest(40)
    void limitsAdaptersPerStepAndServesEveryRequest(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int max = 1 + random.nextInt(3);
        VllmV1 scheduler = scheduler(max, BATCHED, random.nextBoolean(), random.nextBoolean());
        EngineLoop loop = loop(scheduler);
        if (random.nextBoolean()) {
            loop.together();
        }
        List<LiveRequest> all = new ArrayList<>();
        while (all.size() < 30 || loop.hasWork()) {
            if (all.size() < 30 && random.nextInt(2) == 0) {
                all.add(scheduler.add(
                        spec(all.size(), 1 + random.nextInt(60), 1 + random.nextInt(10), random.nextInt(5), List.of()),
                        false));
            }
            StepPlan plan = loop.plan(false);
            Set<Integer> adapters = new HashSet<>();
            for (LiveRequest running : scheduler.running()) {
                if (running.isInLockstep) {
                    adapters.add(running.spec().identity().adapter());
                }
            }
            for (int i = 0; plan != null && i < plan.size(); i++) {
                adapters.add(plan.request(i).spec().identity().adapter());
            }
            adapters.remove(0);
            assertThat(adapters.size()).isLessThanOrEqualTo(max);
            end(loop, plan);
        }
        assertThat(all).allMatch(request -> request.status() == LiveRequest.Status.LENGTH);
    }

    /**
     * Counts encoder outputs independently. An item is encoded with the first chunk that touches it, unless it is
     * cached.
     */
    @RepeatedTest(60)
    void limitsEncoderTokensPerStep(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int budget = 20 + random.nextInt(30);
        VllmV1 scheduler = scheduler(0, budget, random.nextBoolean(), false);
        EngineLoop loop = loop(scheduler);
        List<LiveRequest> all = new ArrayList<>();
        Map<Long, Integer> made = new LinkedHashMap<>();
        int steps = 0;
        while (all.size() < 25 || loop.hasWork()) {
            if (all.size() < 25 && random.nextInt(2) == 0) {
                all.add(scheduler.add(withMedia(random, all.size()), false));
            }
            StepPlan plan = loop.plan(false);
            int encoded = 0;
            for (int i = 0; plan != null && i < plan.size(); i++) {
                int from = plan.computed(i);
                int until = from + plan.tokens(i);
                for (MediaItem item : plan.request(i).spec().identity().media()) {
                    if (item.start() >= from && item.start() < until) {
                        made.merge(item.id(), 1, Integer::sum);
                        encoded += item.tokens();
                    }
                }
            }
            assertThat(encoded).as("no two requests share items here").isLessThanOrEqualTo(budget);
            end(loop, plan);
            assertThat(steps++).isLessThan(5_000);
        }
        assertThat(all).allMatch(request -> request.status() == LiveRequest.Status.LENGTH);
        long items = all.stream()
                .mapToLong(request -> request.spec().identity().media().size())
                .sum();
        assertThat(made).hasSize((int) items);
        assertThat(made.values())
                .as("memory suffices, so nothing is computed twice")
                .allMatch(times -> times == 1);
    }

    /** Returns a prompt with up to three items of at most 20 tokens that no other request has. */
    private static RequestSpec withMedia(SplittableRandom random, int index) {
        List<MediaItem> media = new ArrayList<>();
        int at = random.nextInt(10);
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            int tokens = 1 + random.nextInt(20);
            media.add(new MediaItem(index * 10L + i, at, tokens));
            at += tokens + random.nextInt(10);
        }
        return spec(index, at + 1 + random.nextInt(10), 1 + random.nextInt(6), 0, media);
    }
}
