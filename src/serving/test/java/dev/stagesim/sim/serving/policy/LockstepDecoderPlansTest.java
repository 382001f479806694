package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lockstep and individual planning give the same plans, blocks and outputs, also with aborts and cache resets. */
final class LockstepDecoderPlansTest {
    /** A scheduler and its requests. */
    private static final class Engine {
        private final PagedBlocks cache;
        private final VllmV1 scheduler;
        private final EngineLoop loop;
        private final LockstepDecoder inStep;
        private final List<LiveRequest> all = new ArrayList<>();
        private final int stages;
        private int together;

        Engine(SplittableRandom random, boolean isTogether) {
            boolean isAsync = random.nextBoolean();
            int batched = 16 + random.nextInt(100);
            int chunk = random.nextInt(3) == 0 ? 7 : 0;
            stages = 1 + random.nextInt(2) * random.nextInt(4);
            int seqs = 2 + random.nextInt(30);
            Map<String, Object> changes = new LinkedHashMap<>();
            changes.put("pacing", VllmSettings.Pacing.ofLongPrefills(chunk));
            changes.put("byPriority", random.nextInt(3) == 0);
            changes.put("reserveFullSequence", random.nextBoolean());
            changes.put("asyncScheduling", isAsync);
            changes.put("pipelineStages", stages);
            VllmRules rules = VllmRules.values()[random.nextInt(2)];
            changes.put("version", new VllmSettings.Version(rules, 1 + random.nextInt(2)));
            changes.put("maxLoras", random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0);
            VllmSettings settings = VllmFixtures.settings(seqs, batched, changes);
            boolean caches = random.nextInt(3) > 0;
            List<KvGroup> groups = groups(random, caches);
            int blocks = 100 * groups.size() + random.nextInt(400);
            cache = new PagedBlocks(settings.layout(groups, blocks, caches, 100, false));
            if (!isTogether) {
                cache.disableFastPath();
            }
            scheduler = new VllmV1(settings, cache, new NoDraftAccepted(), null);
            loop = new EngineLoop(scheduler);
            inStep = isTogether ? loop.together() : null;
        }

        /**
         * Returns full attention, usually with other layers. If states of every block are cached, all blocks have one
         * size.
         */
        private static List<KvGroup> groups(SplittableRandom random, boolean caches) {
            int block = 1 << random.nextInt(5);
            List<KvGroup> groups = new ArrayList<>(List.of(KvGroup.full(block)));
            boolean isEven = !caches || random.nextBoolean();
            for (int i = random.nextInt(4); i > 0; i--) {
                KvGroup.Kind kind = KvGroup.Kind.values()[random.nextInt(KvGroup.Kind.values().length)];
                int size = block * (isEven || random.nextBoolean() ? 1 : 2);
                int window =
                        kind == KvGroup.Kind.CHUNKED_LOCAL ? size * (1 + random.nextInt(3)) : 1 + random.nextInt(60);
                KvGroup.States states = !caches
                        ? KvGroup.States.NONE
                        : isEven && random.nextBoolean() ? KvGroup.States.ALL : KvGroup.States.ALIGN;
                groups.add(new KvGroup(kind, size, window, states, 0, false, i));
            }
            return groups;
        }

        /** Performs one random action and returns its result as text. */
        String turn(SplittableRandom random) {
            int what = random.nextInt(60);
            if (what < 6 && all.size() < 150) {
                all.add(scheduler.add(request(random, all.size()), false));
            } else if (what == 6 && !all.isEmpty()) {
                scheduler.abort(all.get(random.nextInt(all.size())));
            } else if (what == 7 && random.nextInt(10) == 0) {
                scheduler.resetPrefixCache(random.nextBoolean(), new ArrayList<>());
            } else if (what > 7 && loop.hasWork()) {
                return step(what % 3 == 0);
            }
            return "";
        }

        private String step(boolean defersPrefills) {
            StringBuilder text = new StringBuilder();
            StepPlan plan = loop.plan(defersPrefills);
            if (plan != null) {
                IntStream.range(0, plan.inStep()).forEach(i -> text.append(inStep == null ? -1 : inStep.ids()[i])
                        .append(":1 "));
                for (int i = 0; i < plan.size(); i++) {
                    text.append(plan.request(i).spec().index())
                            .append(':')
                            .append(plan.tokens(i))
                            .append(' ');
                }
                plan.preempted().forEach(victim -> text.append(" out ")
                        .append(victim.spec().index()));
                text.append(" ends ")
                        .append(List.of(
                                IntStream.of(plan.finished().toArray()).boxed().toArray()));
                text.append(" total ").append(plan.total());
                together += plan.inStep();
            }
            text.append(" evicted ")
                    .append(IntStream.of(cache.evicted().toArray()).boxed().toList());
            if (loop.due(plan) != null) {
                loop.process(new StepResult(), (request, count) -> {
                    if (request.status().isFinished()) {
                        text.append(" last ")
                                .append(request.spec().index())
                                .append(' ')
                                .append(request.output());
                    }
                });
            }
            return text.append(" free ")
                    .append(cache.free())
                    .append(' ')
                    .append(cache.keyedBlocks())
                    .toString();
        }

        private static RequestSpec request(SplittableRandom random, int index) {
            int shared = random.nextInt(30);
            int own = 1 + random.nextInt(40);
            Tokens tokens = new Tokens.Builder()
                    .run(random.nextInt(3) * 1_000_000L, shared)
                    .run(1_000_000_000L + index * 1000L, own)
                    .then(2_000_000_000L + index * 1000L);
            int end = random.nextInt(8) == 0 ? random.nextInt(20) : RequestSpec.NEVER;
            return new RequestSpec(
                    index,
                    "r" + index,
                    shared + own,
                    new RequestSpec.Output(1 + random.nextInt(60), random.nextInt(3), end, RequestSpec.NEVER),
                    new RequestSpec.Urgency(random.nextInt(3), index),
                    new RequestSpec.Identity(tokens, 0, random.nextInt(6), true, List.of()));
        }
    }

    @Test
    void matchesIndividualPlans() {
        comparePlans(10);
    }

    @Test
    @Tag("long")
    void matchesManyIndividualPlans() {
        comparePlans(150);
    }

    private static void comparePlans(int seeds) {
        long together = 0;
        long inGroups = 0;
        long inStages = 0;
        for (int seed = 0; seed < seeds; seed++) {
            Engine fast = new Engine(new SplittableRandom(seed), true);
            Engine slow = new Engine(new SplittableRandom(seed), false);
            SplittableRandom one = new SplittableRandom(~seed);
            SplittableRandom other = new SplittableRandom(~seed);
            for (int turn = 0; turn < 1500; turn++) {
                String expected = slow.turn(other);
                String actual = fast.turn(one);
                if (!actual.equals(expected)) {
                    assertThat(actual).as("seed %d, turn %d", seed, turn).isEqualTo(expected);
                }
            }
            fast.loop.settle();
            for (int i = 0; i < fast.all.size(); i++) {
                LiveRequest request = fast.all.get(i);
                assertThat(request)
                        .usingRecursiveComparison()
                        .comparingOnlyFields(
                                "status",
                                "output",
                                "computed",
                                "placeholders",
                                "inFlight",
                                "stale",
                                "preemptions",
                                "isChunk")
                        .isEqualTo(slow.all.get(i));
            }
            assertThat(fast.cache.queue().toArray())
                    .isEqualTo(slow.cache.queue().toArray());
            together += fast.together;
            inGroups += fast.cache.layout().groups().size() > 1 ? fast.together : 0;
            inStages += fast.stages > 1 ? fast.together : 0;
        }
        assertThat(together).as("tokens of requests in step").isGreaterThan(200L * seeds);
        assertThat(inGroups).as("with layers of several kinds").isGreaterThan(120L * seeds);
        assertThat(inStages).as("with several stages").isGreaterThan(15L * seeds);
    }
}
