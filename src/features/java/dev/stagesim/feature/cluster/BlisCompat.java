package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import dev.stagesim.model.Words;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.cluster.BlisConfig;
import dev.stagesim.sim.serving.cluster.BlisConfig.Gateway;
import dev.stagesim.sim.serving.cluster.BlisEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** BLIS: its admission, gateway queue, routers, pools and instances in place of the engines'. */
@Variant("blis | BLIS (inference-sim): its admission, gateway queue, routers, pools for prompts and outputs, and"
        + " instances, in microseconds; cluster.router and engines are not used.")
public record BlisCompat(
        @Key(
                        "b0, b1, b2, b3: a step takes b0 + b1 x prompt tokens + b2 x requests that generate + b3 x their tokens / 1024;"
                                + " none for whole numbers near the step model. | [] | us | 0..1000000000")
                List<Long> stepTime,
        @Key("a0, a1, a2: a request is queued a0 + a1 x prompt tokens after it was sent; a2 is added to every token."
                        + " | [0, 0, 0] | us | 0..1000000000")
                List<Long> queueTime,
        @Key("Blocks of an instance; null for those of the memory plan. | null | 1..100000000")
                Optional<Integer> blocks,
        @Key("Tokens of a block. | 16 | tokens | 1..100000") int blockSize,
        @Key("Maximum prompt tokens of a request in a step; 0 for no limit. | 0 | tokens | 0..1000000000")
                int longPrefill,
        @Key("Order of the waiting queue. | fcfs") BlisEngine.Order order,
        @Key("Whether the least urgent request is preempted instead of the last. | false") boolean preemptsLeastUrgent,
        @Key("Admission of requests. | {}") BlisConfig.Admission admission,
        @Key("Choice of an instance for a request. | {}") BlisConfig.Routing routing,
        @Key("The queue in front of the router, which takes the place of admission; null for none. | null")
                Optional<Gateway> gateway,
        @Key("Which requests are split between pools for prompts and for outputs. | always")
                @Words({"always", "never", "prefix_threshold"})
                String decider,
        @Key("Uncached prompt tokens above which one is split. | 0 | tokens | 0..1000000000")
                @OnlyIf("decider = prefix_threshold | only prefix_threshold counts tokens")
                int threshold,
        @Key("Bandwidth of a transfer. | 25 | GB/s | 0.000001..1000000000") double bandwidthGbs,
        @Key("Fixed time of a transfer. | 50 | us | 0..1000000000") double baseUs,
        @Key("Whether transfers share the bandwidth. | false") boolean contends)
        implements ClusterCompat {
    private static final int STEP_TERMS = 4;
    private static final int QUEUE_TERMS = 3;
    private static final List<String> OF_CLASSES = List.of(
            "admission.budgets",
            "gateway.by_deadline",
            "gateway.targets",
            "gateway.takes_turns",
            "gateway.sheds",
            "gateway.evicts",
            "gateway.usage_limit");
    private static final List<String> OF_TRANSFERS =
            List.of("decider", "bandwidth_gbs", "base_us", "contends", "routing.prefill", "routing.decode");

    @Override
    public List<Path> reads() {
        return List.of();
    }

    @Override
    public List<Problem> problems(Cluster cluster) {
        List<Problem> problems = new ArrayList<>(ClusterCompat.unread(cluster, "blis"));
        terms(problems, "step_time", stepTime, STEP_TERMS, !stepTime.isEmpty());
        terms(problems, "queue_time", queueTime, QUEUE_TERMS, true);
        alike(problems, cluster);
        if (gateway.isPresent() && !admission.policy().equals("always_admit")) {
            problems.add(Problem.config("compat.admission.policy", "has no effect: the gateway takes its place")
                    .hint("leave compat.gateway out, or admission"));
        }
        oneClass(problems);
        if (!ClusterCompat.isApart(cluster)) {
            together(problems);
        }
        return problems;
    }

    private static void alike(List<Problem> problems, Cluster cluster) {
        long engines = cluster.pools().values().stream()
                .map(pool -> List.of(
                        pool.engine(),
                        pool.hardware(),
                        pool.tp(),
                        pool.pp(),
                        pool.weights(),
                        pool.kvCache(),
                        pool.scheduler(),
                        pool.maxNumSeqs(),
                        pool.maxNumBatchedTokens(),
                        pool.memoryUtilization()))
                .distinct()
                .count();
        if (engines > 1) {
            problems.add(Problem.config("cluster.pools", "differ in more than role and replicas")
                    .hint("BLIS has one kind of instance: give all pools the same engine, hardware and limits"));
        }
    }

    /** What tells requests apart has no effect: they have no classes, tenants and adapters. */
    private void oneClass(List<Problem> problems) {
        if (asks("lora_affinity")) {
            refuse(problems, "routing", "no request asks for an adapter", "leave the scorer lora_affinity out");
        }
        List<String> told = new ArrayList<>(changed(OF_CLASSES));
        if (order == BlisEngine.Order.PRIORITY_FCFS || order == BlisEngine.Order.REVERSE_PRIORITY) {
            told.add("order");
        }
        boolean isTiered = admission.policy().equals("tier_shed");
        if (admission.policy().equals("gaie_legacy") || (isTiered && admission.shedBelow() <= 3)) {
            told.add("admission.policy");
        }
        told.forEach(
                key -> refuse(problems, key, "all requests are of one tenant and of class standard", "leave it out"));
    }

    /** What is about transfers has no effect where no pool is for prompts or outputs alone. */
    private void together(List<Problem> problems) {
        changed(OF_TRANSFERS)
                .forEach(key ->
                        refuse(problems, key, "no pool is for prompts or outputs alone", "for example cluster=pd_2_2"));
    }

    /** Those of some keys that are not what they are by default. */
    private List<String> changed(List<String> keys) {
        Set<String> all = new TreeSet<>(KeyRecord.differences("compat", KeyRecord.usual(BlisCompat.class), this));
        gateway.ifPresent(
                its -> all.addAll(KeyRecord.differences("compat.gateway", KeyRecord.usual(Gateway.class), its)));
        return keys.stream().filter(key -> all.contains("compat." + key)).toList();
    }

    private boolean asks(String scorer) {
        return Stream.of(routing.scorers(), routing.prefill(), routing.decode())
                .flatMap(List::stream)
                .anyMatch(one -> one.name().equals(scorer));
    }

    private static void refuse(List<Problem> problems, String key, String why, String hint) {
        problems.add(Problem.config("compat." + key, "has no effect: " + why).hint(hint));
    }

    private static void terms(List<Problem> problems, String key, List<Long> given, int count, boolean isGiven) {
        if (isGiven && given.size() != count) {
            problems.add(Problem.config("compat." + key, "has " + given.size() + " numbers")
                    .note("expected", count + " numbers"));
        }
    }

    @Override
    public Map<String, Double> run(ModelCard model, List<PoolPlan> pools, ServingInput input, Path out)
            throws IOException {
        BlisConfig config = config(model, pools);
        long room = (long) config.engine().blocks() * blockSize;
        if (room < input.longest()) {
            throw StageException.input(Problem.config(
                            "compat.blocks",
                            "an instance has room for " + room + " tokens, and a request takes " + input.longest())
                    .hint("give it more blocks; BLIS would compute such a request for ever"));
        }
        BlisRun run = new BlisRun(config, input.trace(), pools);
        Map<String, Double> figures = run.figures();
        run.write(model, input, out, figures);
        return figures;
    }

    /** What BLIS is told. */
    BlisConfig config(ModelCard model, List<PoolPlan> pools) {
        int prompts = ClusterCompat.count(pools, Role.PREFILL);
        int outputs = ClusterCompat.count(pools, Role.DECODE);
        int both = ClusterCompat.count(pools, Role.BOTH);
        boolean isApart = prompts + outputs > 0;
        return new BlisConfig(
                prompts + outputs + both,
                Long.MAX_VALUE,
                model.name(),
                engine(pools.get(0)),
                admission,
                routing,
                new BlisConfig.Split(
                        isApart ? prompts : 0,
                        isApart ? outputs : 0,
                        isApart ? both : 0,
                        0,
                        "never",
                        decider.replace('_', '-'),
                        threshold,
                        bandwidthGbs * 1e3,
                        baseUs,
                        contends,
                        2.0 * model.numLayers() * model.numKvHeads() * model.headDim() * 2),
                gateway,
                Optional.empty(),
                List.of(),
                0,
                true);
    }

    private BlisEngine engine(PoolPlan pool) {
        return new BlisEngine(
                stepTime.isEmpty() ? nearest(Profile.of(pool)) : longs(stepTime),
                longs(queueTime),
                blocks.orElse((int) Math.min(Integer.MAX_VALUE, pool.kvTokens() / blockSize)),
                blockSize,
                0,
                0,
                0,
                pool.maxRequests(),
                pool.maxTokens(),
                longPrefill,
                0,
                order,
                preemptsLeastUrgent,
                new BlisEngine.Adapters(0, 0, 1, 0, List.of()));
    }

    private static long[] longs(List<Long> list) {
        return list.stream().mapToLong(Long::longValue).toArray();
    }

    /** Whole microseconds: prompts between 1,024 and 2,048 tokens, outputs of 1 to 65 requests and 1,024 to 2,048 tokens of context. */
    private static long[] nearest(Profile profile) {
        double prompt = (profile.promptSeconds(2048) - profile.promptSeconds(1024)) / 1024;
        double request = (profile.gapSeconds(65, 0) - profile.gapSeconds(1, 0)) / 64;
        double context = (profile.gapSeconds(64, 2048) - profile.gapSeconds(64, 1024)) / 64;
        double rest = profile.gapSeconds(1, 0) - request;
        return new long[] {micros(rest), micros(prompt), micros(request), micros(context)};
    }

    private static long micros(double seconds) {
        return Math.max(0, Math.round(seconds * 1e6));
    }
}
