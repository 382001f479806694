package dev.stagesim.feature.cluster.gateway;

/** The section {@code cluster.gateway.admission}: one record for each rule, in its own file. */
public sealed interface AdmissionSettings permits AdmitAll.Settings, TokenBucket.Settings, Saturation.Settings {
    /** A rule of that kind that has seen nothing yet. */
    Admission make(Clients clients);
}
