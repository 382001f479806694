package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;

/** Every request is let in. */
public final class AdmitAll implements Admission {
    /** Its section. */
    @Variant("all | Every request.")
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
