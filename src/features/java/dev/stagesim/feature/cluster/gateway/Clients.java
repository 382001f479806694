package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.RequestTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Whose requests are, and how long they are waited for. All turns of a conversation have the same tenant. */
public final class Clients {
    private static final long PERSON = 0x632be59bd9b4e019L;
    private static final double TWO_POW_MINUS_53 = 1.0 / (1L << 53);

    private final RequestTrace trace;
    private final RequestTimeline timeline;
    private final List<String> names = new ArrayList<>();
    private final List<Tenant> tenants = new ArrayList<>();
    private final int[] tenant;
    private final double[] cancelled;

    public Clients(GatewaySettings settings, RequestTrace trace, RequestTimeline timeline) {
        this.trace = trace;
        this.timeline = timeline;
        new TreeMap<>(settings.tenants()).forEach((name, one) -> {
            names.add(name);
            tenants.add(one);
        });
        if (tenants.isEmpty()) {
            names.add("all");
            tenants.add(Tenant.DEFAULTS);
        }
        double all = tenants.stream().mapToDouble(Tenant::share).sum();
        Prompts prompts = new Prompts(trace);
        RandomStream random = RandomStream.of(settings.seed(), "cancellations");
        tenant = new int[trace.size()];
        cancelled = new double[trace.size()];
        for (int i = 0; i < tenant.length; i++) {
            long hash = RandomStream.mix(prompts.session(i) * PERSON + settings.seed());
            tenant[i] = drawn((hash >>> 11) * TWO_POW_MINUS_53 * all);
            boolean isCancelled = random.nextDouble() < of(i).cancelShare();
            double after = -Math.log(1 - random.nextDouble()) * of(i).cancelS();
            cancelled[i] = isCancelled ? after : Double.POSITIVE_INFINITY;
        }
    }

    private int drawn(double at) {
        double sum = 0;
        for (int i = 0; i < tenants.size(); i++) {
            sum += tenants.get(i).share();
            if (at < sum) {
                return i;
            }
        }
        return tenants.size() - 1;
    }

    int requests() {
        return tenant.length;
    }

    public int tenants() {
        return tenants.size();
    }

    public String name(int number) {
        return names.get(number);
    }

    public Tenant named(int number) {
        return tenants.get(number);
    }

    public int tenant(int request) {
        return tenant[request];
    }

    Tenant of(int request) {
        return tenants.get(tenant[request]);
    }

    public int promptTokens(int request) {
        return trace.prefillTokens(request);
    }

    public int outputTokens(int request) {
        return trace.decodeTokens(request);
    }

    double arrivedAt(int request) {
        return timeline.arrived[request];
    }

    /** When the first token is due, or all of them; infinite where neither is. */
    double deadline(int request) {
        Tenant of = of(request);
        return timeline.arrived[request] + of.firstTokenS().or(of::timeoutS).orElse(Double.POSITIVE_INFINITY);
    }

    /** Seconds after which the client gives a request up; infinite for never. */
    double cancelledAfter(int request) {
        return cancelled[request];
    }
}
