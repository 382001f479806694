package dev.stagesim.verify.astra;

import dev.stagesim.io.astra.CustomFiles;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.SystemFile;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.traces.GroupFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs the simulation that a folder of the reference's input files describes. */
final class AstraRun {
    private static final List<String> REQUIRED = List.of(
            "workload-configuration", "system-configuration", "network-configuration", "remote-memory-configuration");

    private static final List<String> TRUTH = List.of("true", "True", "t", "T", "1");
    private static final List<String> UNTRUTH = List.of("false", "False", "f", "F", "0");

    private AstraRun() {}

    /**
     * Runs the folder with the reference's command-line options, with folded NPUs or with every NPU.
     *
     * @param order implementation whose order of simultaneous events is used
     */
    static SimulationResult of(
            CaseFolder folder, LocatedJson options, Contention contention, AstraCompat order, boolean symmetry)
            throws IOException {
        for (String required : REQUIRED) {
            if (isRemoved(options, required)) {
                throw refusal(required, "it is missing");
            }
        }
        Path home = folder.path();
        NetworkSpec network = NetworkFiles.read(existing(home, "network.yml"), contention, AstraCompat.ASTRA)
                .value();
        SystemFile system = SystemFiles.read(existing(home, "system.json"), AstraCompat.ASTRA)
                .value();
        MemorySettings memory = MemoryFiles.read(existing(home, "memory.json"), AstraCompat.ASTRA)
                .value();
        Path groups = home.resolve("comm_groups.json");
        CommGroups known = Files.exists(groups) && !isRemoved(options, "comm-group-configuration")
                ? GroupFiles.read(groups, network.npus())
                : CommGroups.NONE;
        TraceFiles traces = new TraceFiles(
                AstraCompat.ASTRA,
                FeederVersion.V3,
                system.keys().custom().perNode().isPresent());
        SimulationSpec spec = new SimulationSpec(
                system.spec(
                        options(options),
                        CustomFiles.collectives(system, traces, home),
                        CustomFiles.nodes(system, traces, home),
                        List.of()),
                network.dimensions().stream().map(NetworkDimension::npus).toList(),
                MemoryFiles.spec(memory),
                known,
                order,
                symmetry);
        return CollectiveSimulation.run(
                spec,
                traces.read(home.resolve("trace"), network.npus(), (count, of) -> {}),
                Networks.of(network),
                SimulationObserver.NONE);
    }

    private static Path existing(Path home, String name) {
        Path path = home.resolve(name);
        if (!Files.exists(path)) {
            throw refusal(name, "the file does not exist");
        }
        return path;
    }

    private static SystemFile.Options options(LocatedJson given) {
        // Both are read, and scale nothing.
        number(given, "compute-scale");
        number(given, "comm-scale");
        return new SystemFile.Options(
                whole(given, "num-queues-per-dim"),
                number(given, "injection-scale"),
                isOn(given, "rendezvous-protocol"));
    }

    /** Whether an option was left out of the command line that has it otherwise. */
    private static boolean isRemoved(LocatedJson given, String name) {
        return given.has(name) && given.get(name).value() instanceof JsonValue.Bool flag && !flag.value();
    }

    private static boolean isOn(LocatedJson given, String name) {
        if (!given.has(name) || isRemoved(given, name)) {
            return false;
        }
        if (!(given.get(name).value() instanceof JsonValue.Str text)) {
            return true;
        }
        if (!TRUTH.contains(text.value()) && !UNTRUTH.contains(text.value())) {
            throw refusal(name, "'" + text.value() + "' is neither true nor false");
        }
        return TRUTH.contains(text.value());
    }

    /** An integer in the reference's option syntax: decimal or hexadecimal, without a suffix. */
    private static int whole(LocatedJson given, String name) {
        if (!given.has(name) || isRemoved(given, name)) {
            return 1;
        }
        JsonValue value = given.get(name).value();
        if (value instanceof JsonValue.Int number) {
            return (int) number.value();
        }
        String text = value instanceof JsonValue.Str word ? word.value() : "";
        if (!text.matches("-?(\\d+|0x[0-9A-Fa-f]+)")) {
            throw refusal(name, "'" + text + "' is not a whole number");
        }
        try {
            return Integer.decode(text.replaceFirst("^(-?)0+(?=\\d)", "$1"));
        } catch (NumberFormatException tooLarge) {
            throw refusal(name, "'" + text + "' is beyond 32 bits");
        }
    }

    private static double number(LocatedJson given, String name) {
        if (!given.has(name) || isRemoved(given, name)) {
            return 1;
        }
        JsonValue value = given.get(name).value();
        if (value instanceof JsonValue.Int whole) {
            return whole.value();
        }
        String text = value instanceof JsonValue.Str word
                ? word.value()
                : String.valueOf(given.get(name).asDouble());
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException notNumber) {
            throw refusal(name, "'" + text + "' is not a number");
        }
    }

    private static StageException refusal(String where, String what) {
        return StageException.input(Problem.of("config error", where, what));
    }
}
