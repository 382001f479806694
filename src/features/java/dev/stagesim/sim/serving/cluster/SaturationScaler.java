package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.ClusterSignals.View;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Decides how many replicas to add or to drain, by the tokens that they hold and that wait for them. */
final class SaturationScaler {
    /** Replicas to add, or to drain when negative, on devices of one kind. */
    record Decision(String gpu, int change) {}

    private record Variant(String gpu, double cost, double supply, double demand, int replicas) {
        double each() {
            return supply / replicas;
        }
    }

    private final BlisConfig.Scaling settings;
    private final Map<String, Double> costs = new LinkedHashMap<>();
    private Optional<Long> growSince = Optional.empty();
    private Optional<Long> shrinkSince = Optional.empty();

    SaturationScaler(BlisConfig.Scaling settings, List<BlisConfig.NodePool> pools) {
        this.settings = settings;
        pools.forEach(pool -> costs.putIfAbsent(pool.gpu(), pool.costPerHour()));
    }

    /** What to do now, once the signal has lasted long enough. */
    Optional<Decision> decide(List<View> views, Map<BlisInstance, String> gpus, long loadingTokens, long now) {
        Optional<Decision> wish = wish(variants(views, gpus), loadingTokens);
        boolean grows = wish.map(decision -> decision.change() > 0).orElse(false);
        boolean shrinks = wish.map(decision -> decision.change() < 0).orElse(false);
        growSince = grows ? growSince.or(() -> Optional.of(now)) : Optional.empty();
        shrinkSince = shrinks ? shrinkSince.or(() -> Optional.of(now)) : Optional.empty();
        boolean lasts = grows
                ? now - growSince.orElse(now) >= settings.upWindow()
                : now - shrinkSince.orElse(now) >= settings.downWindow();
        if (wish.isEmpty() || !lasts) {
            return Optional.empty();
        }
        growSince = Optional.empty();
        shrinkSince = Optional.empty();
        return wish;
    }

    private List<Variant> variants(List<View> views, Map<BlisInstance, String> gpus) {
        Map<String, Variant> byGpu = new TreeMap<>();
        for (View view : views) {
            String gpu = gpus.get(view.instance());
            if (gpu != null && view.capacity() > 0) {
                double supply = view.capacity() * settings.kvThreshold();
                double demand = view.tokensInUse() + view.waiting() * settings.promptTokens();
                byGpu.merge(
                        gpu,
                        new Variant(gpu, costs.getOrDefault(gpu, 0.0), supply, demand, 1),
                        (a, b) -> new Variant(
                                gpu,
                                a.cost(),
                                a.supply() + b.supply(),
                                a.demand() + b.demand(),
                                a.replicas() + b.replicas()));
            }
        }
        List<Variant> variants = new ArrayList<>(byGpu.values());
        variants.sort(Comparator.comparingDouble(Variant::cost));
        return variants;
    }

    private Optional<Decision> wish(List<Variant> variants, long loadingTokens) {
        if (variants.isEmpty()) {
            return Optional.empty();
        }
        double supply = variants.stream().mapToDouble(Variant::supply).sum();
        double demand = variants.stream().mapToDouble(Variant::demand).sum();
        double required = demand / settings.upThreshold() - (supply + loadingTokens * settings.kvThreshold());
        if (required > 0) {
            Variant cheapest = variants.get(0);
            return Optional.of(new Decision(cheapest.gpu(), Math.max(1, (int) Math.ceil(required / cheapest.each()))));
        }
        int replicas = variants.stream().mapToInt(Variant::replicas).sum();
        double needed = demand / settings.downBoundary();
        double largest = variants.stream().mapToDouble(Variant::each).max().orElse(0);
        if (replicas <= 1 || supply - needed <= 0 || supply - largest <= needed) {
            return Optional.empty();
        }
        Variant dearest = variants.stream()
                .max(Comparator.comparingDouble(Variant::cost).thenComparing(Variant::gpu, Comparator.reverseOrder()))
                .orElseThrow();
        int spare = (int) Math.floor((supply - needed) / dearest.each());
        return Optional.of(new Decision(dearest.gpu(), -Math.min(Math.max(1, spare), dearest.replicas())));
    }
}
