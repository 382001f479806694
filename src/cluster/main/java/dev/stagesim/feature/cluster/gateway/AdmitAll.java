package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;

/** Accepts every request. */
public final class AdmitAll implements Admission {
    @Variant("all | Accepts every request.")
    public record Settings() implements AdmissionSettings {
        @Override
        public Admission make(Clients clients) {
            return new AdmitAll();
        }
    }

    @Override
    public boolean admits(int request, double now, double load) {
        return true;
    }
}
