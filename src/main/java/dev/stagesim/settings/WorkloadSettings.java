package dev.stagesim.settings;

/** What is to be run: the section {@code workload}. One record per kind. */
public sealed interface WorkloadSettings permits ServingWorkload, MnkWorkload {}
