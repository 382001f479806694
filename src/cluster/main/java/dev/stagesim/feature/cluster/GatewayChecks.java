package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.gateway.Deadlines;
import dev.stagesim.feature.cluster.gateway.Fifo;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.gateway.Priorities;
import dev.stagesim.feature.cluster.gateway.QueueOrderSettings;
import dev.stagesim.feature.cluster.gateway.Saturation;
import dev.stagesim.feature.cluster.gateway.Vtc;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Finds settings of the gateway that have no effect. */
final class GatewayChecks {
    private static final String KEY = "cluster.gateway";

    private final GatewaySettings settings;
    private final Collection<Tenant> tenants;
    private final List<Problem> problems = new ArrayList<>();

    private GatewayChecks(GatewaySettings settings) {
        this.settings = settings;
        tenants = settings.tenants().values();
    }

    static List<Problem> problems(GatewaySettings settings) {
        GatewayChecks checks = new GatewayChecks(settings);
        checks.queue();
        checks.admission();
        return checks.problems;
    }

    private void add(String key, String reason, String hint) {
        problems.add(Problem.config(KEY + key, "has no effect: " + reason).hint(hint));
    }

    private void queue() {
        QueueOrderSettings order = settings.order();
        if (settings.inFlight().isEmpty() && !(order instanceof Fifo.Settings)) {
            add(".order", "no request waits in the gateway", "set cluster.gateway.in_flight");
        }
        if (settings.inFlight().isEmpty() && settings.depth().isPresent()) {
            add(".depth", "no request waits in the gateway", "set cluster.gateway.in_flight");
        }
        boolean hasDeadlines = tenants.stream()
                .anyMatch(tenant ->
                        tenant.firstTokenS().isPresent() || tenant.timeoutS().isPresent());
        if (order instanceof Deadlines.Settings && !hasDeadlines) {
            add(".order", "no tenant has a deadline", "give one first_token_s or timeout_s");
        }
        if (order instanceof Priorities.Settings
                && tenants.stream().map(Tenant::priority).distinct().count() < 2) {
            add(".order", "all priorities are the same", "give tenants different priorities");
        }
        if (order instanceof Vtc.Settings && tenants.size() < 2) {
            add(".order", "there is one tenant", "add tenants to cluster.gateway.tenants");
        }
    }

    private void admission() {
        if (settings.admission() instanceof Saturation.Settings
                && tenants.stream().noneMatch(tenant -> tenant.priority() < 0)) {
            add(".admission", "no tenant has a priority below 0", "give a tenant a negative priority");
        }
    }
}
