package dev.stagesim.capacity;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Inputs of runs that reproduce Atlas Fabric: the section {@code atlas}. */
public record AtlasSettings(
        @Key("YAML file of targets; null for the section target. | null") Optional<Path> targets,
        @Key("YAML file of workloads; null for the section workload. | null") Optional<Path> workloads,
        @Key("Name of the workload in the file. | null")
                @OnlyIf("workloads != null | there is no atlas.workloads")
                @Access(Resource.NONE)
                Optional<String> workload,
        @Key("Name of the target in the file. | null")
                @OnlyIf("targets != null | there is no atlas.targets")
                @Access(Resource.NONE)
                Optional<String> target,
        @Key("Directory of accelerator cards, or one card; null for target.card. | null")
                @OnlyIf("targets != null | without atlas.targets the section target states the coefficients")
                Optional<Path> hardware,
        @Key("Seed of the run's jitter, an integer of any size. | \"1337\"") String seed,
        @Key("Seed of the optimiser's jitter, an integer of any size. | \"2025\"") String optimizeSeed,
        @Key("Maximum P99 that the optimiser accepts. | 120.0 | ms | 0..1000000000") double slaP99Ms,
        @Key("Directories of further runs to include in the report. | []") List<Path> records) {}
