package dev.stagesim.feature.cluster.gateway;

/** The section {@code cluster.gateway.order}. Each order has its record in a file of its name. */
public sealed interface QueueOrderSettings
        permits Fifo.Settings, Deadlines.Settings, Priorities.Settings, Vtc.Settings {
    AdmissionQueue make(Clients clients);
}
