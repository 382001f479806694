package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.packet.LogicalFiles;
import dev.stagesim.io.packet.PacketConfigText;
import dev.stagesim.io.packet.PlainSpec;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.NetworkSettings;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.network.PacketTopologySettings;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec.MarkThreshold;
import dev.stagesim.traces.GroupFiles;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes the input of a run in both forms: {@code reference/} for ASTRA-sim, and {@code presets/} for the groups of
 * this product's configuration. A form that cannot express the network omits it.
 */
final class Conversions {
    private Conversions() {}

    /**
     * Writes all files.
     *
     * @param network original settings of the machine's network
     */
    static void write(SystemInputs machine, NetworkSettings network, CommGroups groups, Path home, Path out)
            throws IOException {
        Path reference = Files.createDirectories(out.resolve("reference"));
        Path presets = Files.createDirectories(out.resolve("presets"));
        Json.write(reference.resolve("system.json"), SystemFiles.json(machine.system()));
        Json.write(reference.resolve("memory.json"), MemoryFiles.json(machine.memory()));
        if (!groups.groups().isEmpty()) {
            Json.write(reference.resolve("comm_groups.json"), GroupFiles.json(groups));
        }
        Files.writeString(
                presets.resolve("system.conf"), Preset.of(machine.system().keys()));
        Files.writeString(presets.resolve("memory.conf"), Preset.of((Record) machine.memory()));
        if (machine.network() instanceof NetworkPlan.Analytic analytic) {
            NetworkSpec spec = analytic.spec();
            Files.writeString(presets.resolve("network.conf"), Preset.network(spec));
            if (spec.dimensions().stream().noneMatch(dimension -> dimension.topology() == Topology.MESH)) {
                Files.writeString(reference.resolve("network.yml"), NetworkFiles.text(spec));
            }
        } else if (machine.network() instanceof NetworkPlan.Packet packet) {
            reference(packet, reference);
            Optional<PacketSettings.Keys> keys = network.packet() instanceof PacketSettings.File file
                    ? PacketInKeys.of(
                            packet,
                            PacketResolver.topologyFile(file, packet.spec().compat(), home))
                    : Optional.of((PacketSettings.Keys) network.packet());
            if (keys.isPresent()) {
                Files.writeString(
                        presets.resolve("network.conf"), Preset.section("backend = packet\npacket ", keys.get()));
            }
        }
    }

    private static void reference(NetworkPlan.Packet packet, Path folder) throws IOException {
        PacketSpec spec = packet.spec();
        Files.writeString(folder.resolve("topology.txt"), TopologyFiles.text(spec.topology()));
        Json.write(folder.resolve("logical.json"), LogicalFiles.json(packet.dimensions()));
        Optional<String> config = PacketConfigText.of(PlainSpec.of(spec), "topology.txt", "flow.txt", "trace.txt");
        if (config.isPresent()) {
            Files.writeString(folder.resolve("config.txt"), config.get());
            Files.writeString(folder.resolve("flow.txt"), "0\n");
            String nodes = spec.traced().stream().map(String::valueOf).collect(Collectors.joining(" "));
            Files.writeString(folder.resolve("trace.txt"), spec.traced().size() + "\n" + nodes + "\n");
        }
    }

    /** Presets of the groups {@code system}, {@code network} and {@code memory}. */
    private static final class Preset {
        private final StringBuilder out = new StringBuilder();

        private Preset() {}

        static String of(Record keys) {
            Preset preset = new Preset();
            preset.members(keys, "");
            return preset.out.toString();
        }

        /** A section after text. */
        static String section(String before, Record keys) {
            Preset preset = new Preset();
            preset.out.append(before);
            preset.section(keys, "");
            return preset.out.append('\n').toString();
        }

        static String network(NetworkSpec spec) {
            List<NetworkDimension> dimensions = spec.dimensions();
            return section(
                    "backend = congestion_" + (spec.contention() == Contention.UNAWARE ? "un" : "")
                            + "aware\ntopology ",
                    new FabricSettings.Dims(
                            dimensions.stream().map(NetworkDimension::topology).toList(),
                            dimensions.stream().map(NetworkDimension::npus).toList(),
                            dimensions.stream().map(NetworkDimension::bandwidth).toList(),
                            dimensions.stream().map(NetworkDimension::latency).toList(),
                            FabricSettings.Gigabyte.BINARY));
        }

        private void section(Record section, String indent) {
            out.append("{\n");
            members(section, indent + "  ");
            out.append(indent).append('}');
        }

        private void members(Record section, String inner) {
            Variant variant = section.getClass().getAnnotation(Variant.class);
            if (variant != null) {
                out.append(inner)
                        .append("kind = ")
                        .append(variant.value().split(" ", 2)[0])
                        .append('\n');
            }
            for (RecordComponent component : KeyRecord.components(section.getClass())) {
                Object value = KeyRecord.value(component, section);
                out.append(inner).append(KeyNames.snake(component.getName()));
                out.append(value instanceof Record ? " " : " = ");
                value(value, inner);
                out.append('\n');
            }
        }

        private void value(Object value, String indent) {
            if (value instanceof Record section) {
                section(section, indent);
            } else if (value instanceof Optional<?> optional) {
                optional.ifPresentOrElse(some -> value(some, indent), () -> out.append("null"));
            } else if (value instanceof List<?> list) {
                String separator = "[";
                for (Object item : list) {
                    out.append(separator);
                    value(item, indent);
                    separator = ", ";
                }
                out.append(list.isEmpty() ? "[]" : "]");
            } else if (value instanceof Double number) {
                out.append(ShortestDouble.of(number));
            } else if (value instanceof String || value instanceof Path) {
                out.append(Json.quoted(value.toString()));
            } else {
                out.append(value.toString().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Converts files of the reference's packet network to keys. */
    private static final class PacketInKeys {
        private static final long MEBI = 1 << 20;
        private static final double GIGA = 1e9;
        private static final double KILO = 1e3;

        private PacketInKeys() {}

        /**
         * Keys that create the network of a plan.
         *
         * @param topology location of its topology file
         * @return empty if keys cannot express it, for example mark probabilities that differ by rate
         */
        static Optional<PacketSettings.Keys> of(NetworkPlan.Packet plan, Path topology) {
            PacketSpec spec = PlainSpec.of(plan.spec());
            PacketSettings.Keys usual = KeyRecord.defaults(PacketSettings.Keys.class);
            PacketSettings.Keys keys = new PacketSettings.Keys(
                    new PacketTopologySettings.File(topology),
                    plan.dimensions(),
                    spec.transport(),
                    (CongestionSpec) spec.congestion(),
                    switches(spec.switches()),
                    spec.lossRate(),
                    spec.linkDown()
                            .map(down -> new PacketSettings.LinkDown(Optional.of(down.atNs()), down.a(), down.b()))
                            .orElse(usual.linkDown()),
                    plan.spec().monitor().map(PacketSpec.Monitor::periodNs).orElse(0L),
                    spec.traced(),
                    new PacketSettings.Keys.PacketRouting(
                            usual.routing().ecmpSeed(),
                            usual.routing().spray(),
                            usual.routing().forwarding(),
                            usual.routing().routes()),
                    plan.trains(),
                    plan.nativeFiles().isPresent());
            return reproduces(keys, spec) ? Optional.of(keys) : Optional.empty();
        }

        private static boolean reproduces(PacketSettings.Keys keys, PacketSpec spec) {
            try {
                PacketSpec made = new PacketKeys(keys, spec.compat()).on(spec.topology());
                return PlainSpec.of(made).equals(spec)
                        && PacketResolver.idle(keys, spec.compat()).isEmpty();
            } catch (StageException rejected) {
                return false;
            }
        }

        private static PacketSettings.Switches switches(SwitchSpec its) {
            PacketSettings.Switches usual = KeyRecord.defaults(PacketSettings.Switches.class);
            List<MarkThreshold> marks = its.marks();
            boolean isUsual = marks.isEmpty();
            return new PacketSettings.Switches(
                    (int) (its.bufferBytes() / MEBI),
                    its.headroomFactor(),
                    its.pauses(),
                    its.marking(),
                    isUsual
                            ? usual.markRates()
                            : marks.stream().map(mark -> mark.rate() / GIGA).toList(),
                    isUsual
                            ? usual.markMin()
                            : marks.stream().map(mark -> mark.minBytes() / KILO).toList(),
                    isUsual
                            ? usual.markMax()
                            : marks.stream().map(mark -> mark.maxBytes() / KILO).toList(),
                    isUsual ? usual.markProbability() : marks.get(0).probability());
        }
    }
}
