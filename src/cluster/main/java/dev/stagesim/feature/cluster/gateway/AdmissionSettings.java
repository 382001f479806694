package dev.stagesim.feature.cluster.gateway;

/** The section {@code cluster.gateway.admission}. Each policy has its record in a file of its name. */
public sealed interface AdmissionSettings permits AdmitAll.Settings, TokenBucket.Settings, Saturation.Settings {
    Admission make(Clients clients);
}
