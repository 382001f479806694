package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Requests of low priority are refused while the cluster is loaded. */
public final class Saturation implements Admission {
    /** Its section. */
    @Variant(
            "saturation | All requests until there are so many for each open instance; from then on those of a priority of 0 and"
                    + " more.")
    public record Settings(
            @Key(
                            "Requests of an instance, with those that wait, from which others are refused. | 64 | 0.000001..1000000")
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
        return load < settings.requests() || clients.of(request).priority() >= 0;
    }
}
