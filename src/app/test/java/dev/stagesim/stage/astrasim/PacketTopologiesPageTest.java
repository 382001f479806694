package dev.stagesim.stage.astrasim;

import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.network.PacketTopologySettings;
import dev.stagesim.reference.ReferencePage;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Generates the reference page with one example of each topology generator, and compares it. */
final class PacketTopologiesPageTest {
    private static final String HEAD =
            """
            # Topologies of packet networks

            Generated. One example of each kind of `network.packet.topology`, with the equivalent topology file. The first line has the
            numbers of nodes, switches and cables. The second line has the ids of the switches. Each further line is a cable: its two
            ends, rate, delay and loss rate (0 selects the loss rate of the network). Ids of hosts start at 0; each host is an NPU.

            With `network.packet.native_files=true`, the default, a run writes its topology to `native/topology.txt`.
            `network.packet.topology.kind=file` reads such a file.
            """;

    private static final long NEAR = 500;
    private static final long FAR = 2000;

    private static Map<String, PacketTopologySettings> examples() {
        Map<String, PacketTopologySettings> examples = new LinkedHashMap<>();
        examples.put("Star", new PacketTopologySettings.Star(4, 1, 400, NEAR));
        examples.put("Star, two cards a host", new PacketTopologySettings.Star(3, 2, 200, NEAR));
        examples.put(
                "Leaves and spines, two to one oversubscribed",
                new PacketTopologySettings.LeafSpine(8, 4, 2, 1, List.of(400.0, 400.0), List.of(NEAR, NEAR)));
        examples.put(
                "Leaves and spines, four to one by rates",
                new PacketTopologySettings.LeafSpine(8, 4, 1, 1, List.of(100.0, 100.0), List.of(NEAR, FAR)));
        examples.put(
                "Fat tree of switches with four ports",
                new PacketTopologySettings.FatTree(
                        16, 4, 1, 1, List.of(400.0, 400.0, 400.0), List.of(NEAR, NEAR, NEAR)));
        examples.put(
                "Fat tree of switches with eight ports, three hosts for each uplink",
                new PacketTopologySettings.FatTree(
                        24, 8, 3, 1, List.of(100.0, 200.0, 400.0), List.of(NEAR, NEAR, FAR)));
        examples.put(
                "Rails",
                new PacketTopologySettings.Rail(8, 4, 2, List.of(2400.0, 400.0, 400.0), List.of(100L, NEAR, NEAR)));
        examples.put(
                "Dragonfly",
                new PacketTopologySettings.Dragonfly(
                        3, 2, 2, 1, 1, List.of(400.0, 400.0, 200.0), List.of(NEAR, NEAR, FAR)));
        examples.put(
                "Torus of switches",
                new PacketTopologySettings.Torus(List.of(3, 3), 1, 1, List.of(400.0, 400.0), List.of(100L, NEAR)));
        return examples;
    }

    /** Returns the keys of a section as configuration text. */
    private static String keys(PacketTopologySettings settings) {
        List<String> keys = new ArrayList<>();
        keys.add("kind = " + KeyRecord.kind(settings.getClass()));
        for (RecordComponent component : KeyRecord.components(settings.getClass())) {
            try {
                Object value = component.getAccessor().invoke(settings);
                keys.add(component
                                .getName()
                                .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                                .toLowerCase(Locale.ROOT) + " = "
                        + String.valueOf(value).replaceAll("\\.0\\b", ""));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("cannot read " + component, e);
            }
        }
        return "network.packet.topology { " + String.join(", ", keys) + " }";
    }

    @Test
    void matchesTheCommittedPage() throws IOException {
        StringBuilder page = new StringBuilder(HEAD);
        for (Map.Entry<String, PacketTopologySettings> example : examples().entrySet()) {
            PacketTopology topology = new PacketTopologyPlan(Path.of("/")).make(example.getValue());
            page.append("\n## ").append(example.getKey()).append("\n\n```\n").append(keys(example.getValue()));
            page.append("\n```\n\n").append(PacketTopologyPlan.count(topology)).append(":\n\n```\n");
            page.append(TopologyFiles.text(topology)).append("```\n");
        }
        ReferencePage.assertUpToDate(
                ReferencePage.HOME.resolve("specs/reference/packet-topologies.md"), page.toString());
    }
}
