package dev.stagesim.sim.serving;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.SglangSettings;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lockstep decoding gives bit-identical results to planning each request individually. */
final class LockstepDecoderTest {
    /** Logs all notifications in order. */
    private static final class Log implements ServingRecorder {
        private final List<String> lines = new ArrayList<>();
        private final boolean isTokens;
        private final boolean hasEvents;

        /**
         * With events, each step goes through the queue. Without events and tokens, steps are extrapolated if possible.
         */
        Log(boolean isTokens, boolean hasEvents) {
            this.isTokens = isTokens;
            this.hasEvents = hasEvents;
        }

        private void add(Object... parts) {
            StringBuilder line = new StringBuilder();
            for (Object part : parts) {
                line.append(part).append(' ');
            }
            lines.add(line.toString());
        }

        @Override
        public Set<Signal> signals() {
            Set<Signal> signals = EnumSet.allOf(Signal.class);
            if (!isTokens) {
                signals.remove(Signal.TOKENS);
            }
            if (!hasEvents) {
                signals.remove(Signal.EVENTS);
            }
            return signals;
        }

        @Override
        public void admissionSample(int replica, double time, AdmissionLimit limit) {
            add("limit", replica, time, limit);
        }

        @Override
        public void requestArrived(int request, double time) {
            add("arrived", request, time);
        }

        @Override
        public void requestCompleted(int request, double time, RequestStates states) {
            add("completed", request, time, states.execution(request), states.preempted(request));
            add(states.emittedTokens(request), states.processedTokens(request), states.modelExecution(request));
        }

        @Override
        public void requestRestarted(int request, double time) {
            add("restarted", request, time);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            add("token", request, index, time);
        }

        @Override
        public void batchScheduled(Batch batch, double time) {
            add("scheduled", batch.id, batch.size, batch.totalTokens, batch.prefillTokens, time);
        }

        @Override
        public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
            add("started", batch.id, stage, time, mfuPercent);
        }

        @Override
        public void stageEnded(Batch batch, int stage, double time, double total, double model) {
            add("ended", batch.id, stage, time, total, model);
        }

        @Override
        public void batchEnded(Batch batch, double time, RequestStates states) {
            add("done", batch.id, time);
            // Requests that end in lockstep are listed last, so the order within a batch may differ.
            IntStream.range(0, batch.size)
                    .mapToObj(i -> batch.requests[i] + " " + batch.tokens[i])
                    .sorted()
                    .forEach(this::add);
        }

        @Override
        public void memorySample(int replica, double time, long allocated, long total) {
            add("memory", replica, time, allocated, total);
        }

        @Override
        public void queueSample(int replica, double time, int waiting) {
            add("queue", replica, time, waiting);
        }

        @Override
        public void decodeLatencies(double seconds, int count, double time) {
            add("gap", seconds, count, time);
        }

        @Override
        public void tokenGaps(double since, int count, double time) {
            add("since", since, count, time);
        }
    }

    private static RequestTrace trace(SplittableRandom random) {
        int count = 30 + random.nextInt(random.nextInt(4) == 0 ? 300 : 60);
        double pace = random.nextInt(4) == 0 ? 0.4 : 0.02;
        boolean isShared = random.nextBoolean();
        double[] arrivals = new double[count];
        int[] prompts = new int[count];
        int[] outputs = new int[count];
        double at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextDouble() * pace;
            arrivals[i] = at;
            prompts[i] = 1 + random.nextInt(150);
            outputs[i] = 1 + random.nextInt(random.nextInt(3) == 0 ? 200 : 20);
        }
        if (!isShared && random.nextBoolean()) {
            return new RequestTrace(arrivals, prompts, outputs);
        }
        return new RequestTrace(arrivals, prompts, outputs, request -> new Tokens.Builder()
                .run(0, isShared ? Math.min(prompts[request], 64) : 0)
                .run(SharedTokens.promptOf(request), prompts[request] - (isShared ? Math.min(prompts[request], 64) : 0))
                .then(SharedTokens.outputOf(request)));
    }

    /** Returns conversations. Each turn continues the previous one. */
    private static RequestTrace sessions(SplittableRandom random) {
        int count = 40;
        double[] arrivals = new double[count];
        int[] prompts = new int[count];
        int[] outputs = new int[count];
        Tokens[] tokens = new Tokens[count];
        double at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextDouble() * 0.05;
            arrivals[i] = at;
            outputs[i] = 1 + random.nextInt(30);
            int from = i - 1 - random.nextInt(5);
            Tokens.Builder text = new Tokens.Builder();
            if (from >= 0 && prompts[from] + outputs[from] < 200) {
                text.part(tokens[from], 0, prompts[from] + outputs[from]);
            }
            text.run(SharedTokens.promptOf(i), 1 + random.nextInt(20));
            prompts[i] = text.length();
            tokens[i] = text.then(SharedTokens.outputOf(i));
        }
        return new RequestTrace(arrivals, prompts, outputs, i -> tokens[i]).resumed();
    }

    @Test
    void matchesIndividualPlanningForSessions() {
        compareSessions(10);
    }

    @Test
    @Tag("long")
    void matchesIndividualPlanningForManySessions() {
        compareSessions(60);
    }

    private static Map<String, Object> settings(SplittableRandom random) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("reserveFullSequence", random.nextBoolean());
        settings.put("asyncScheduling", random.nextBoolean());
        settings.put("version", new VllmSettings.Version(VllmRules.NEWEST, 1 + random.nextInt(2)));
        return settings;
    }

    private static Speculation speculation(SplittableRandom random) {
        return random.nextInt(6) == 0 ? Speculation.of(Speculation.Method.EAGLE, 2) : Speculation.NONE;
    }

    private static void compareSessions(int seeds) {
        int followed = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int seqs = 4 + random.nextInt(40);
            int block = 1 << random.nextInt(5);
            int batched = 40 + random.nextInt(400);
            Map<String, Object> settings = settings(random);
            Map<String, Object> changes = Map.of("blockSize", block, "cachesPrefixes", random.nextInt(4) > 0);
            settings.put("speculation", speculation(random));
            settings.put("byPriority", random.nextInt(3) == 0);
            SchedulerSpec.VllmV1 engine =
                    VllmFixtures.engine(VllmFixtures.settings(seqs, batched, settings), 0, changes);
            int blocks = 2 + (400 + random.nextInt(9000)) / engine.limits().blockSize();
            RequestTrace trace = sessions(random);
            Log many = new Log(true, false);
            Log single = new Log(true, true);
            ServingOutcome fast = run(engine, blocks, 1, 1, trace, false, many);
            ServingOutcome slow = run(engine, blocks, 1, 1, trace, true, single);
            assertSame(seed, many.lines, single.lines);
            assertThat(fast.engine()).isEqualTo(slow.engine());
            assertThat(fast.ending()).isEqualTo(slow.ending());
            for (int i = 0; i < trace.size(); i++) {
                followed += fast.ending() == ServingOutcome.Ending.FINISHED && trace.hasSuccessor(i) ? 1 : 0;
            }
        }
        assertThat(followed).as("turns in runs that finish").isGreaterThan(8 * seeds);
    }

    /** Returns layer caches: usually of full attention, sometimes with windows, chunks or states. */
    private static List<LayerCache> layers(SplittableRandom random, int block) {
        LayerCache full = new LayerCache(KvGroup.full(block), 1024);
        int window = 1 + random.nextInt(100);
        KvGroup other =
                switch (random.nextInt(6)) {
                    case 0 -> KvGroup.sliding(block, window);
                    case 1 ->
                        new KvGroup(
                                KvGroup.Kind.CHUNKED_LOCAL,
                                block,
                                32 * (1 + window / 30),
                                KvGroup.States.NONE,
                                0,
                                false,
                                0);
                    case 2 -> new KvGroup(KvGroup.Kind.MAMBA, block, 0, KvGroup.States.ALIGN, 0, false, 0);
                    default -> null;
                };
        return other == null
                ? List.of()
                : List.of(full, new LayerCache(other, 1024), full, new LayerCache(other, 1024));
    }

    @Test
    void matchesIndividualPlanning() {
        compareDecodingInStep(10);
    }

    @Test
    @Tag("long")
    void matchesIndividualPlanningInManyRuns() {
        compareDecodingInStep(400);
    }

    private static void compareDecodingInStep(int seeds) {
        int quiet = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int block = 1 << random.nextInt(5);
            int seqs = 1 + random.nextInt(random.nextInt(3) == 0 ? 80 : 12);
            double watermark = random.nextInt(3) * 0.05;
            int batched = 32 + random.nextInt(random.nextInt(3) == 0 ? 2000 : 200);
            int threshold = random.nextInt(4) == 0 ? 9 : 0;
            Map<String, Object> settings = settings(random);
            boolean caches = random.nextInt(4) > 0;
            settings.put("watermark", watermark);
            settings.put("pacing", VllmSettings.Pacing.ofLongPrefills(threshold));
            settings.put("speculation", speculation(random));
            SchedulerSpec.VllmV1 engine = VllmFixtures.engine(
                    VllmFixtures.settings(seqs, batched, settings),
                    0,
                    Map.of("blockSize", block, "cachesPrefixes", caches, "layers", layers(random, block)));
            int blocks =
                    2 + engine.groups().size() * (360 + random.nextInt(random.nextInt(3) == 0 ? 6000 : 1500)) / block;
            RequestTrace trace = trace(random);
            int replicas = 1 + random.nextInt(2);
            int stages = 1 + random.nextInt(2) * random.nextInt(4);

            boolean isTokens = random.nextBoolean();
            Log many = new Log(isTokens, false);
            Log single = new Log(isTokens, true);
            ServingOutcome fast = run(engine, blocks, replicas, stages, trace, false, many);
            ServingOutcome slow = run(engine, blocks, replicas, stages, trace, true, single);

            assertSame(seed, many.lines, single.lines);
            assertThat(fast.engine()).isEqualTo(slow.engine());
            assertThat(fast.ending()).isEqualTo(slow.ending());
            assertThat(fast.endSeconds()).isEqualTo(slow.endSeconds());
            assertThat(fast.eventCounts()).isEqualTo(slow.eventCounts());
            assertThat(fast.batches()).isEqualTo(slow.batches());
            assertThat(fast.batchTokens()).isEqualTo(slow.batchTokens());
            quiet += fast.ending() == ServingOutcome.Ending.FINISHED ? 1 : 0;
        }
        assertThat(quiet).as("runs that finish").isGreaterThan(seeds * 4 / 5);
    }

    @Test
    void matchesIndividualPlanningOfSglang() {
        compareSglangsDecodes(15);
    }

    @Test
    @Tag("long")
    void matchesIndividualPlanningOfSglangInManyRuns() {
        compareSglangsDecodes(120);
    }

    private static void compareSglangsDecodes(int seeds) {
        int finished = 0;
        long retracted = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int page = 1 << random.nextInt(4);
            int tokens = 370 + random.nextInt(random.nextInt(3) == 0 ? 4000 : 400);
            SglangSettings settings = SglangFixtures.settings(Map.ofEntries(
                    entry("chunkedPrefillSize", random.nextInt(4) == 0 ? 0 : 32 + random.nextInt(300)),
                    entry("maxPrefillTokens", 64 + random.nextInt(300)),
                    entry("pageSize", page),
                    entry("order", List.of(SchedulePolicy.values()).get(random.nextInt(6))),
                    entry("conservativeness", random.nextInt(3) > 0 ? 0.01 : 1),
                    entry("radixCache", random.nextInt(3) > 0),
                    entry(
                            "eviction",
                            RadixTree.EvictionRule.of(
                                    RadixTree.Eviction.values()[random.nextInt(8)],
                                    SglangRules.values()[random.nextInt(4) / 3])),
                    entry("mixedChunk", random.nextInt(5) == 0),
                    entry("overlap", random.nextInt(3) > 0),
                    entry("maxNewTokens", random.nextInt(3) == 0 ? random.nextInt(300) : 0)));
            SchedulerSpec.Sglang engine = new SchedulerSpec.Sglang(
                    new SchedulerSpec.Limits(1 + random.nextInt(40), page, 0, tokens / page),
                    0.9,
                    1000,
                    true,
                    settings);
            RequestTrace trace = trace(random);
            ServingSpec spec = ServingFixtures.spec(engine, 1 + random.nextInt(2), 1, false);
            boolean isTokens = random.nextBoolean();
            Log many = new Log(isTokens, false);
            Log single = new Log(isTokens, true);
            ServingOutcome fast = ServingSimulator.run(spec, trace, ServingFixtures.flat(), false, many);
            ServingOutcome slow = ServingSimulator.run(spec, trace, ServingFixtures.flat(), true, single);

            assertSame(seed, many.lines, single.lines);
            assertThat(fast.engine()).isEqualTo(slow.engine());
            assertThat(fast.endSeconds()).isEqualTo(slow.endSeconds());
            assertThat(fast.eventCounts()).isEqualTo(slow.eventCounts());
            assertThat(fast.batches()).isEqualTo(slow.batches());
            assertThat(fast.batchTokens()).isEqualTo(slow.batchTokens());
            finished += fast.ending() == ServingOutcome.Ending.FINISHED ? 1 : 0;
            retracted += fast.engine().orElseThrow().preemptions();
        }
        assertThat(finished).as("runs that finish").isGreaterThan(seeds * 9 / 10 - 1);
        assertThat(retracted).as("retractions in all runs").isGreaterThan(seeds / 5);
    }

    private static void assertSame(int seed, List<String> lines, List<String> expected) {
        for (int i = 0; i < Math.min(lines.size(), expected.size()); i++) {
            if (!lines.get(i).equals(expected.get(i))) {
                assertThat(lines.get(i))
                        .as("seed %d, line %d after %s", seed, i, expected.subList(Math.max(0, i - 20), i))
                        .isEqualTo(expected.get(i));
            }
        }
        assertThat(lines).hasSameSizeAs(expected);
    }

    private static ServingOutcome run(
            SchedulerSpec.VllmV1 engine,
            int blocks,
            int replicas,
            int stages,
            RequestTrace trace,
            boolean isSingle,
            Log log) {
        SchedulerSpec.VllmV1 limited =
                KeyRecord.with(SchedulerSpec.VllmV1.class, engine, Map.of("numBlocks", (long) blocks));
        ServingSpec spec = ServingFixtures.spec(VllmFixtures.onStages(limited, stages), replicas, stages, false);
        return ServingSimulator.run(spec, trace, ServingFixtures.flat(), isSingle, log);
    }
}
