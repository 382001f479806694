package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.GroupFiles;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.json.Json;
import dev.stagesim.sim.collective.CommGroups;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes what a run was told in both forms: {@code reference/} for ASTRA-sim, {@code presets/} for the groups of our own
 * configuration. A network that one of them cannot say is left out there.
 */
final class Conversions {
    private Conversions() {}

    static void write(Machine machine, CommGroups groups, Path out) throws IOException {
        Path reference = Files.createDirectories(out.resolve("reference"));
        Path presets = Files.createDirectories(out.resolve("presets"));
        Json.write(reference.resolve("system.json"), SystemFiles.json(machine.system()));
        Json.write(reference.resolve("memory.json"), MemoryFiles.json(machine.memory()));
        if (!groups.groups().isEmpty()) {
            Json.write(reference.resolve("comm_groups.json"), GroupFiles.json(groups));
        }
        Files.writeString(presets.resolve("system.conf"), PresetText.system(machine.system()));
        Files.writeString(presets.resolve("memory.conf"), PresetText.memory(machine.memory()));
        if (machine.network() instanceof NetworkPlan.Analytic analytic) {
            NetworkSpec spec = analytic.spec();
            Files.writeString(presets.resolve("network.conf"), PresetText.network(spec));
            if (spec.dimensions().stream().noneMatch(dimension -> dimension.topology() == Topology.MESH)) {
                Files.writeString(reference.resolve("network.yml"), NetworkFiles.text(spec));
            }
        }
    }
}
