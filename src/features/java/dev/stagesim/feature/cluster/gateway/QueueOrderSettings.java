package dev.stagesim.feature.cluster.gateway;

/** The section {@code cluster.gateway.order}: one record for each order, in its own file. */
public sealed interface QueueOrderSettings
        permits Fifo.Settings, Deadlines.Settings, Priorities.Settings, Vtc.Settings {
    /** An empty line of that kind. */
    AdmissionQueue make(Clients clients);
}
