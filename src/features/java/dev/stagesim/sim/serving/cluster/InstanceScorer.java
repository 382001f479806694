package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.ClusterSignals.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/** Scores the candidates of a request between 0 and 1, the best 1. */
interface InstanceScorer {
    /** Queue length from which on the load-aware score is 0. */
    int LONG_QUEUE = 128;

    double[] score(BlisRequest request, List<View> views);

    /** Told which instance the router took, whatever the reason. */
    default void chosen(BlisRequest request, BlisInstance instance) {}

    /** A scorer of BLIS by name. */
    static InstanceScorer of(String name, int blockSize, ClusterSignals signals) {
        return switch (name.replace('_', '-')) {
            case "precise-prefix-cache" ->
                (request, views) -> least(views, view -> -signals.cached(view.instance(), request));
            case "prefix-affinity" -> new PrefixAffinity(blockSize);
            case "no-hit-lru" -> new NoHitLru(signals);
            case "queue-depth" -> (request, views) -> least(views, View::waiting);
            case "running-requests" -> (request, views) -> least(views, View::running);
            case "vllm-dp" -> (request, views) -> least(views, view -> 4 * view.waiting() + view.running());
            case "kv-utilization" -> (request, views) -> each(views, view -> 1 - view.kvShare());
            case "load-balance" -> (request, views) -> each(views, view -> 1 / (1.0 + view.load()));
            case "load-aware" ->
                (request, views) ->
                        each(views, view -> 0.5 * (1 - Math.min(view.waiting(), LONG_QUEUE) / (double) LONG_QUEUE));
            case "active-requests" -> (request, views) -> active(views);
            case "lora-affinity" -> (request, views) -> resident(request.spec().adapter(), views);
            default -> throw new IllegalArgumentException("unknown scorer " + name);
        };
    }

    private static double[] each(List<View> views, ToDoubleFunction<View> score) {
        return views.stream().mapToDouble(score).toArray();
    }

    /** (greatest - value) / (greatest - least); 1 when all are equal. */
    private static double[] least(List<View> views, ToIntFunction<View> value) {
        int[] values = views.stream().mapToInt(value).toArray();
        int least = Arrays.stream(values).min().orElse(0);
        int greatest = Arrays.stream(values).max().orElse(0);
        return Arrays.stream(values)
                .mapToDouble(of -> greatest == least ? 1 : (greatest - of) / (double) (greatest - least))
                .toArray();
    }

    private static double[] active(List<View> views) {
        int most = views.stream().mapToInt(View::inFlight).max().orElse(0);
        return each(views, view -> view.inFlight() == 0 ? 1 : (most - view.inFlight()) / (double) most);
    }

    private static double[] resident(String adapter, List<View> views) {
        boolean anywhere = views.stream().anyMatch(view -> view.adapters().contains(adapter));
        return each(views, view -> !anywhere || view.adapters().contains(adapter) ? 1 : 0);
    }

    /** Share of the prompt's blocks that the router itself sent to an instance before. */
    final class PrefixAffinity implements InstanceScorer {
        private static final int CAPACITY = 10_000;

        private final BlockChains chains;
        private final Map<BlisInstance, LinkedHashSet<Integer>> sent = new LinkedHashMap<>();

        PrefixAffinity(int blockSize) {
            chains = new BlockChains(blockSize);
        }

        @Override
        public double[] score(BlisRequest request, List<View> views) {
            int[] chain = chains.of(request.spec().prompt());
            return each(
                    views,
                    view -> chain.length == 0
                            ? 0
                            : HashedBlocks.cached(chain, of(view.instance())) / (double) chain.length);
        }

        @Override
        public void chosen(BlisRequest request, BlisInstance instance) {
            LinkedHashSet<Integer> blocks = of(instance);
            for (int block : chains.of(request.spec().prompt())) {
                if (!blocks.remove(block) && blocks.size() >= CAPACITY) {
                    blocks.remove(blocks.iterator().next());
                }
                blocks.add(block);
            }
        }

        private LinkedHashSet<Integer> of(BlisInstance instance) {
            return sent.computeIfAbsent(instance, unseen -> new LinkedHashSet<>());
        }
    }

    /** Spreads requests that are found nowhere: instances that never had such a one first, then the least recent. */
    final class NoHitLru implements InstanceScorer {
        private final ClusterSignals signals;
        /** Instances that had a cold request, the least recent first. */
        private final LinkedHashSet<BlisInstance> used = new LinkedHashSet<>();

        private boolean isWarm;

        NoHitLru(ClusterSignals signals) {
            this.signals = signals;
        }

        @Override
        public double[] score(BlisRequest request, List<View> views) {
            isWarm = views.stream().anyMatch(view -> signals.cached(view.instance(), request) > 0);
            if (isWarm || views.size() == 1) {
                return each(views, view -> isWarm ? 0.5 : 1);
            }
            List<BlisInstance> candidates = views.stream().map(View::instance).toList();
            used.retainAll(candidates);
            List<BlisInstance> order = new ArrayList<>(candidates);
            order.removeAll(used);
            order.addAll(used);
            return each(views, view -> 1 - order.indexOf(view.instance()) / (double) (views.size() - 1));
        }

        @Override
        public void chosen(BlisRequest request, BlisInstance instance) {
            if (!isWarm) {
                used.remove(instance);
                used.add(instance);
            }
        }
    }
}
