package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.CongestionSpec;
import dev.stagesim.sim.network.packet.PacketTopology;
import dev.stagesim.sim.network.packet.SwitchSpec;
import dev.stagesim.sim.network.packet.SwitchSpec.MarkThreshold;
import dev.stagesim.sim.network.packet.TransportSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The network of the packet backend: the section {@code network.packet}. */
public sealed interface PacketSettings permits PacketSettings.Keys, PacketSettings.File {
    @Variant("keys | Said in keys.")
    @FormerKeys("trains=fast_path")
    record Keys(
            @Key("Hosts, switches and cables. | { kind = star }") PacketTopologySettings topology,
            @Key("NPUs along each logical dimension, the fastest varying first; empty for one dimension of all hosts."
                            + " | [] | 1..1000000000")
                    List<Integer> logicalDims,
            @Key("Frames and recovery.") TransportSpec transport,
            @Key("How senders adapt their rates. | { kind = dcqcn }") CongestionSpec congestion,
            @Key("Buffers, pauses and marks.") Switches switches,
            @Key("Probability that a frame is lost on a cable. | 0 | 0..1") double lossRate,
            @Key("A cable that fails.") LinkDown linkDown,
            @Key("Time between samples of the switches' queues; 0 for none. | 1000 | ns | 0..1000000000000000000")
                    long samplePeriod,
            @Key("Nodes whose frames are written to mix.tr. | [] | 0..1000000000") List<Integer> traced,
            @Key("Added to the number of a switch that chooses among equal paths. | 0 | -2147483648..2147483647")
                    int ecmpSeed,
            @Key("Whether every frame chooses among equal paths for itself, rather than every flow; receivers then"
                            + " keep frames that overtake others. | false")
                    boolean spray,
            @Key("Whether hosts pass on what is for others, as NPUs with direct links may; it waits with their"
                            + " acknowledgements, before their own data. | false")
                    boolean forwarding,
            @Key("Explicit routes from host to host, each as the numbers of the nodes with blanks between them; other"
                            + " pairs take shortest paths. | []")
                    @Access(Resource.NONE)
                    List<String> routes,
            @Key("Fast path for uncontended flows: trains of frames; results do not change. | true") boolean fastPath,
            @Key("Whether to write the reference's files: fct.txt, pfc.txt, qlen.txt, topology.txt. | true")
                    boolean nativeFiles)
            implements PacketSettings {}

    @Variant("file | Said in a configuration file of ASTRA-sim's ns-3 network and the files it names.")
    @FormerKeys("trains=fast_path")
    record File(
            @Key("The configuration file, KEY value pairs or JSON.") Path config,
            @Key("The topology file; null for the one that the configuration names. | null") Optional<Path> topology,
            @Key("The logical topology file (JSON); null for one dimension of all hosts. | null")
                    Optional<Path> logical,
            @Key("Fast path for uncontended flows: trains of frames; results do not change. | true") boolean fastPath,
            @Key("Whether to write the reference's files: fct.txt, pfc.txt, qlen.txt, topology.txt. | true")
                    boolean nativeFiles)
            implements PacketSettings {}

    /** Buffers, pauses and marks: the section {@code switches}. */
    record Switches(
            @Key("Shared buffer of a switch. | 32 | MiB | 1..4095") int buffer,
            @Key("Headroom of a port in multiples of what its cable holds. | 3 | 0..1000000000") int headroomFactor,
            @Key("Whether pause frames stop their receiver; when not, frames are dropped. | true") boolean pauses,
            @Key("Whether queues mark frames. | true") boolean marking,
            @Key("Rates that have thresholds for marks; others take those of the next lower one. | [25, 40, 50, 100,"
                            + " 200, 400, 800, 1200, 2400] | Gbit/s | 0.000001..1000000")
                    List<Double> markRates,
            @Key("Queued kB above which some frames are marked, by rate. | [100, 200, 200, 400, 600, 800, 800, 800,"
                            + " 800] | kB | 0..1000000000")
                    List<Double> markMin,
            @Key("Queued kB above which all frames are marked, by rate. | [400, 800, 800, 1600, 2400, 3200, 3200,"
                            + " 3200, 3200] | kB | 0..1000000000")
                    List<Double> markMax,
            @Key("Probability of a mark just below the upper threshold. | 0.2 | 0..1") double markProbability) {
        /** Components without effect, and why. */
        public Map<String, String> idle() {
            String why = "with switches.marking=false, when no queue marks";
            return marking
                    ? Map.of()
                    : Map.of("markRates", why, "markMin", why, "markMax", why, "markProbability", why);
        }

        /**
         * The switches of a topology.
         *
         * @param section that these settings are in
         * @throws StageException when rates and thresholds are not as many
         */
        public SwitchSpec spec(PacketTopology topology, String section) {
            List<MarkThreshold> marks = new ArrayList<>();
            int count = markRates().size();
            if (markMin().size() != count || markMax().size() != count) {
                throw StageException.input(Problem.config(
                        section + ".switches",
                        "mark_rates, mark_min and mark_max have " + count + ", "
                                + markMin().size() + " and " + markMax().size()
                                + " entries, expected as many of each"));
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

    /** A cable that fails: the section {@code link_down}. */
    record LinkDown(
            @Key("When; null for never. | null | ns | 0..1000000000000000000") Optional<Long> at,
            @Key("Node at one end. | 0 | 0..1000000000") int a,
            @Key("Node at the other end. | 0 | 0..1000000000") int b) {
        /** Components without effect, and why. */
        public Map<String, String> idle() {
            String why = "without link_down.at, when the cable fails";
            return at.isPresent() ? Map.of() : Map.of("a", why, "b", why);
        }
    }
}
