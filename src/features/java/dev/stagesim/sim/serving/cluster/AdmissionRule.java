package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.ClusterSignals.View;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides who is let into a cluster. */
interface AdmissionRule {
    /** Why a request is refused; nothing when it is let in. */
    Optional<String> refuses(BlisRequest request, List<View> views, long now);

    /** A rule of BLIS by name. */
    static AdmissionRule of(BlisConfig.Admission settings) {
        return switch (settings.policy().replace('_', '-')) {
            case "", "always-admit" -> (request, views, now) -> Optional.empty();
            case "reject-all" -> (request, views, now) -> Optional.of("reject-all");
            case "token-bucket" -> new TokenBucket(settings);
            case "tier-shed" -> (request, views, now) -> shed(settings, request, views);
            case "gaie-legacy" -> (request, views, now) -> saturated(settings, request, views);
            default -> throw new IllegalArgumentException("unknown admission rule " + settings.policy());
        };
    }

    /** Mean over the instances of the greater of queue and cache use, each as a share of its limit; 1 without instances. */
    static double saturation(List<View> views, double queueLimit, double kvLimit) {
        double sum = 0;
        for (View view : views) {
            sum += Math.max(view.waiting() / queueLimit, view.kvShare() / kvLimit);
        }
        return views.isEmpty() ? 1 : sum / views.size();
    }

    private static Optional<String> shed(BlisConfig.Admission settings, BlisRequest request, List<View> views) {
        int load = views.stream().mapToInt(View::load).max().orElse(0);
        String name = request.spec().serviceClass();
        int priority = ServiceClasses.priority(name);
        return load > settings.shedAbove() && priority < settings.shedBelow()
                ? Optional.of("tier-shed: class=" + name + " priority=" + priority + " < min=" + settings.shedBelow()
                        + " load=" + load)
                : Optional.empty();
    }

    private static Optional<String> saturated(BlisConfig.Admission settings, BlisRequest request, List<View> views) {
        String name = request.spec().serviceClass();
        double saturation = saturation(views, settings.queueLimit(), settings.kvLimit());
        return ServiceClasses.isSheddable(name) && saturation >= 1
                ? Optional.of("gaie-saturated: class=" + name + " saturation="
                        + new BigDecimal(saturation).setScale(2, RoundingMode.HALF_EVEN))
                : Optional.empty();
    }

    /** Prompt tokens a second, with bursts up to the capacity. */
    final class TokenBucket implements AdmissionRule {
        private final double capacity;
        private final double perSecond;
        private double tokens;
        private long filledAt;

        TokenBucket(BlisConfig.Admission settings) {
            capacity = settings.capacity();
            perSecond = settings.rate();
            tokens = capacity;
        }

        @Override
        public Optional<String> refuses(BlisRequest request, List<View> views, long now) {
            if (now > filledAt) {
                tokens = Math.min(capacity, tokens + (now - filledAt) * perSecond / 1e6);
                filledAt = now;
            }
            int cost = request.spec().promptLength();
            if (tokens < cost) {
                return Optional.of("insufficient tokens");
            }
            tokens -= cost;
            return Optional.empty();
        }
    }

    /** Refuses sheddable requests of tenants that have more in flight than their share; otherwise the inner rule decides. */
    final class TenantBudgets implements AdmissionRule {
        private final AdmissionRule inner;
        private final Map<String, Double> budgets;
        private final double places;
        private final Map<String, Integer> inFlight = new LinkedHashMap<>();

        TenantBudgets(AdmissionRule inner, Map<String, Double> budgets, int places) {
            this.inner = inner;
            this.budgets = budgets;
            this.places = places;
        }

        void started(String tenant) {
            inFlight.merge(tenant, 1, Integer::sum);
        }

        void ended(String tenant) {
            inFlight.computeIfPresent(tenant, (name, count) -> Math.max(0, count - 1));
        }

        @Override
        public Optional<String> refuses(BlisRequest request, List<View> views, long now) {
            String tenant = request.spec().tenant();
            Double budget = tenant.isEmpty() ? null : budgets.get(tenant);
            boolean isOver = budget != null && inFlight.getOrDefault(tenant, 0) > budget * places;
            return isOver && ServiceClasses.isSheddable(request.spec().serviceClass())
                    ? Optional.of("tenant-budget-shed")
                    : inner.refuses(request, views, now);
        }
    }
}
