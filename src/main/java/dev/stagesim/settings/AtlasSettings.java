package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Inputs of runs as Atlas Fabric does them: the section {@code atlas}. */
public record AtlasSettings(
        @Key(doc = "YAML file of targets; null for the section target.", def = "null") Optional<Path> targets,
        @Key(doc = "YAML file of workloads; null for the section workload.", def = "null") Optional<Path> workloads,
        @Key(doc = "Name of the workload in the file.", def = "null") Optional<String> workload,
        @Key(doc = "Name of the target in the file.", def = "null") Optional<String> target,
        @Key(doc = "Directory of accelerator cards, or one card; null for target.card.", def = "null")
                Optional<Path> hardware,
        @Key(doc = "Seed of the run's jitter, an integer of any size.", def = "\"1337\"") String seed,
        @Key(doc = "Seed of the optimiser's.", def = "\"2025\"") String optimizeSeed,
        @Key(doc = "Greatest P99 that the optimiser accepts.", unit = "ms", def = "120.0", min = "0") double slaP99Ms,
        @Key(doc = "Directories of further records to report on beside this run's.", def = "[]") List<Path> records) {}
