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

/** Finds what has no effect in what is in front of a cluster. */
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
        checks.line();
        checks.admission();
        return checks.problems;
    }

    private void add(String key, String why, String hint) {
        problems.add(Problem.config(KEY + key, "has no effect: " + why).hint(hint));
    }

    private void line() {
        QueueOrderSettings order = settings.order();
        if (settings.inFlight().isEmpty() && !(order instanceof Fifo.Settings)) {
            add(".order", "nothing waits in front of the cluster", "set cluster.gateway.in_flight");
        }
        if (settings.inFlight().isEmpty() && settings.depth().isPresent()) {
            add(".depth", "nothing waits in front of the cluster", "set cluster.gateway.in_flight");
        }
        boolean hasDeadlines = tenants.stream()
                .anyMatch(one -> one.firstTokenS().isPresent() || one.timeoutS().isPresent());
        if (order instanceof Deadlines.Settings && !hasDeadlines) {
            add(".order", "no tenant has a deadline", "give one first_token_s or timeout_s");
        }
        if (order instanceof Priorities.Settings
                && tenants.stream().map(Tenant::priority).distinct().count() < 2) {
            add(".order", "all priorities are the same", "give tenants priorities");
        }
        if (order instanceof Vtc.Settings && tenants.size() < 2) {
            add(".order", "there is one tenant", "name more in cluster.gateway.tenants");
        }
    }

    private void admission() {
        if (settings.admission() instanceof Saturation.Settings
                && tenants.stream().noneMatch(one -> one.priority() < 0)) {
            add(".admission", "no tenant has a priority below 0", "give one such a priority");
        }
    }
}
