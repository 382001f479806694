package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The tenant, deadline and cancellation time of each request. All turns of a session have the same tenant. */
public final class Clients {
    private static final long SESSION_SALT = 0x632be59bd9b4e019L;
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
        new TreeMap<>(settings.tenants()).forEach((name, tenantSettings) -> {
            names.add(name);
            tenants.add(tenantSettings);
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
            long hash = RandomStream.mix(prompts.session(i) * SESSION_SALT + settings.seed());
            tenant[i] = tenantAt((hash >>> 11) * TWO_POW_MINUS_53 * all);
            boolean isCancelled = random.nextDouble() < settingsOf(i).cancelShare();
            double after = -Math.log(1 - random.nextDouble()) * settingsOf(i).cancelS();
            cancelled[i] = isCancelled ? after : Double.POSITIVE_INFINITY;
        }
    }

    private int tenantAt(double at) {
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

    public Tenant settings(int number) {
        return tenants.get(number);
    }

    public int tenant(int request) {
        return tenant[request];
    }

    Tenant settingsOf(int request) {
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

    /** Returns the deadline of the first token, or of the last token if only that has one, or infinity. */
    double deadline(int request) {
        Tenant settingsOf = settingsOf(request);
        return timeline.arrived[request]
                + settingsOf.firstTokenS().or(settingsOf::timeoutS).orElse(Double.POSITIVE_INFINITY);
    }

    /** Returns the time until the client cancels the request, in seconds, or infinity if it does not. */
    double cancelledAfter(int request) {
        return cancelled[request];
    }
}
