package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Rejects low-priority requests while the cluster is saturated. */
public final class Saturation implements Admission {
    @Variant("saturation | Accepts all requests while the number of requests per open instance is below a"
            + " threshold; above it, only requests with a priority of at least 0.")
    public record Settings(
            @Key("Requests per open instance, waiting ones included, at which low-priority"
                            + " requests are rejected. | 64 | 0.000001..1000000")
                    double requests)
            implements AdmissionSettings {
        @Override
        public Admission make(Clients clients) {
            return new Saturation(this, clients);
        }
    }

    private final Settings settings;
    private final Clients clients;

    private Saturation(Settings settings, Clients clients) {
        this.settings = settings;
        this.clients = clients;
    }

    @Override
    public boolean admits(int request, double now, double load) {
        return load < settings.requests() || clients.settingsOf(request).priority() >= 0;
    }
}
