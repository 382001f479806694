package dev.stagesim.network;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec.MarkThreshold;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The network of the packet backend: the section {@code network.packet}. */
public sealed interface PacketSettings permits PacketSettings.Keys, PacketSettings.File {
    @Variant("keys | Stated in configuration keys.")
    @FormerKeys("trains=fast_path")
    record Keys(
            @Key("Hosts, switches and cables. | { kind = star }") PacketTopologySettings topology,
            @Key("NPUs of each logical dimension, fastest-varying first; empty for one dimension with all hosts. "
                            + "| [] | 1..1000000000")
                    List<Integer> logicalDims,
            @Key("Framing and loss recovery.") TransportSpec transport,
            @Key("Congestion control. | { kind = dcqcn }") CongestionSpec congestion,
            @Key("Switch buffers, pause frames and ECN marks.") Switches switches,
            @Key("Loss probability of a frame per cable. | 0 | 0..1") double lossRate,
            @Key("Failure of a cable.") LinkDown linkDown,
            @Key("Sampling period of switch queues; 0 for no samples. | 1000 | ns | 0..1000000000000000000")
                    long samplePeriod,
            @Key("Nodes that are traced in mix.tr. | [] | 0..1000000000") List<Integer> traced,
            @Unwrapped PacketRouting routing,
            @Key("Fast path for uncontended flows, which simulates trains of frames; results are identical. | "
                            + "true")
                    boolean fastPath,
            @Key("Whether to write the files of the reference: fct.txt, pfc.txt, qlen.txt, topology.txt. | true")
                    boolean nativeFiles)
            implements PacketSettings {
        /** Paths of frames. */
        public record PacketRouting(
                @Key("Seed of the ECMP hash, added to the number of the switch. | 0 | -2147483648..2147483647")
                        int ecmpSeed,
                @Key("Packet spraying: whether ECMP chooses a path per frame instead of per flow. Receivers then "
                                + "accept frames out of order. | false")
                        boolean spray,
                @Key("Whether hosts forward frames of other hosts, as NPUs with direct links do. Forwarded frames "
                                + "share the queue of acknowledgements, which precedes data. | false")
                        boolean forwarding,
                @Key("Explicit routes between hosts, each as node numbers separated by blanks; other pairs use "
                                + "shortest paths. | []")
                        @Access(Resource.NONE)
                        List<String> routes) {}
    }

    @Variant("file | Read from a configuration file of ASTRA-sim's ns-3 network and the files that it " + "references.")
    @FormerKeys("trains=fast_path")
    record File(
            @Key("The configuration file, KEY value pairs or JSON.") Path config,
            @Key("Topology file; null for the file that the configuration references. | null") Optional<Path> topology,
            @Key("Logical topology file (JSON); null for one dimension with all hosts. | null") Optional<Path> logical,
            @Key("Fast path for uncontended flows, which simulates trains of frames; results are identical. | "
                            + "true")
                    boolean fastPath,
            @Key("Whether to write the files of the reference: fct.txt, pfc.txt, qlen.txt, topology.txt. | true")
                    boolean nativeFiles)
            implements PacketSettings {}

    /** Switch buffers, pause frames and ECN marks: the section {@code switches}. */
    record Switches(
            @Key("Shared buffer of a switch. | 32 | MiB | 1..4095") int buffer,
            @Key("Headroom of a port, in multiples of the bytes in flight on its cable. | 3 | 0..1000000000")
                    int headroomFactor,
            @Key("Whether switches send pause frames (PFC); if false, they drop frames. | true") boolean pauses,
            @Key("Whether queues mark frames (ECN). | true") boolean marking,
            @Key("Link rates with marking thresholds; other rates use the thresholds of the next lower one. | "
                            + "[25, 40, 50, 100, 200, 400, 800, 1200, 2400] | Gbit/s | 0.000001..1000000")
                    List<Double> markRates,
            @Key("Lower marking threshold of each rate: queued data above which some frames are marked. | [100, "
                            + "200, 200, 400, 600, 800, 800, 800, 800] | kB | 0..1000000000")
                    List<Double> markMin,
            @Key("Upper marking threshold of each rate: queued data above which all frames are marked. | [400, "
                            + "800, 800, 1600, 2400, 3200, 3200, 3200, 3200] | kB | 0..1000000000")
                    List<Double> markMax,
            @Key("Marking probability just below the upper threshold. | 0.2 | 0..1") double markProbability) {
        /** Returns the components without effect, with the reason. */
        public Map<String, String> idle() {
            String why = "with switches.marking=false, because no queue marks frames";
            return marking
                    ? Map.of()
                    : Map.of("markRates", why, "markMin", why, "markMax", why, "markProbability", why);
        }

        /**
         * Returns the switches of a topology.
         *
         * @param section path of this section
         * @throws StageException if the numbers of rates and thresholds differ
         */
        public SwitchSpec spec(PacketTopology topology, String section) {
            List<MarkThreshold> marks = new ArrayList<>();
            int count = markRates().size();
            if (markMin().size() != count || markMax().size() != count) {
                throw StageException.input(Problem.config(
                        section + ".switches",
                        "mark_rates, mark_min and mark_max have " + count + ", "
                                + markMin().size() + " and " + markMax().size()
                                + " entries, expected equal numbers"));
            }
            for (int i = 0; i < count; i++) {
                if (markMin().get(i) > markMax().get(i)) {
                    throw StageException.input(Problem.config(
                            section + ".switches.mark_min." + i,
                            "is " + markMin().get(i) + ", more than mark_max." + i + ", "
                                    + markMax().get(i)));
                }
            }
            for (long rate : topology.rates()) {
                int best = -1;
                for (int i = 0; i < count; i++) {
                    long known = bits(markRates().get(i));
                    if (known <= rate && (best < 0 || known > bits(markRates().get(best)))) {
                        best = i;
                    }
                }
                if (best >= 0) {
                    marks.add(new MarkThreshold(
                            rate,
                            Math.round(markMin().get(best) * 1e3),
                            Math.round(markMax().get(best) * 1e3),
                            markProbability()));
                }
            }
            return new SwitchSpec(((long) buffer() << 20), headroomFactor(), pauses(), marking(), marks);
        }

        private static long bits(double gigabits) {
            return Math.round(gigabits * 1e9);
        }
    }

    /** Failure of a cable: the section {@code link_down}. */
    record LinkDown(
            @Key("Time of the failure; null for no failure. | null | ns | 0..1000000000000000000") Optional<Long> at,
            @Key("Node at one end. | 0 | 0..1000000000") int a,
            @Key("Node at the other end. | 0 | 0..1000000000") int b) {
        /** Returns the components without effect, with the reason. */
        public Map<String, String> idle() {
            String why = "without link_down.at, the time of the failure";
            return at.isPresent() ? Map.of() : Map.of("a", why, "b", why);
        }
    }
}
