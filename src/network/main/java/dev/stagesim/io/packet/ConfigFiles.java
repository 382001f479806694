package dev.stagesim.io.packet;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.PacketSpec.LinkDown;
import dev.stagesim.sim.network.packet.state.PacketSpec.Monitor;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec.MarkThreshold;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Configuration files of packet networks: {@code KEY value} pairs, or groups of keys in JSON. */
public final class ConfigFiles {
    private static final long NEVER = 1_000_000_000_000_000_000L;
    private static final long MONITOR_PERIOD = 100;
    private static final long MEBI = 1 << 20;
    private static final long MAX_BUFFER_MIB = 4095;
    private static final double MARK_UNIT = 1000;
    private static final long LINK_DOWN_BASE = 2_000_000_000L;
    private static final long MICRO = 1000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int PAUSE_TIME = 5;

    private final ConfigValues values;
    private final Compat compat;
    private final boolean asReference;

    private ConfigFiles(ConfigValues values, Compat compat) {
        this.values = values;
        this.compat = compat;
        asReference = compat == Compat.NS3;
    }

    /**
     * Reads a file.
     *
     * @throws StageException (input) with all problems, including keys without effect unless the reference is
     *     reproduced
     */
    public static PacketConfig read(Path file, Compat compat) throws IOException {
        if (!Files.isRegularFile(InputFile.regular(file))) {
            throw StageException.input(Problem.config(file.toString(), "there is no such file"));
        }
        ConfigValues values = ConfigValues.of(InputFile.text(file), file.toString(), compat == Compat.NS3);
        if (compat != Compat.NS3 && values.has("FLOW_FILE")) {
            refuseFlows(InputFile.beside(file, values.text("FLOW_FILE", ""), "FLOW_FILE"), values);
        }
        return config(values, compat);
    }

    /** Rejects a list of flows, since nothing reads it. The reference requires the file to exist and to contain 0. */
    private static void refuseFlows(Path flows, ConfigValues values) throws IOException {
        if (Files.isRegularFile(flows)) {
            Words words = new Words(InputFile.text(flows), flows.toString());
            if (words.hasNext() && !words.next().equals("0")) {
                values.refuse(
                        "FLOW_FILE",
                        "FLOW_FILE is " + flows.getFileName()
                                + ", but its flows have no effect, because the traces define the messages; expected a file"
                                + " that contains 0, or no FLOW_FILE");
            }
        }
    }

    /** Parses a text. Messages call it {@code source}. */
    static PacketConfig parse(String text, String source, Compat compat) {
        return config(ConfigValues.of(text, source, compat == Compat.NS3), compat);
    }

    private static PacketConfig config(ConfigValues values, Compat compat) {
        PacketConfig config = new ConfigFiles(values, compat).config();
        StageException.refuse(values.problems);
        return config;
    }

    private PacketConfig config() {
        rejectKeysWithoutEffect();
        boolean traced = values.flag("ENABLE_TRACE", true) && values.has("TRACE_FILE");
        if (!values.has("TOPOLOGY_FILE")) {
            values.refuse("TOPOLOGY_FILE", "TOPOLOGY_FILE is missing");
        }
        if (asReference && values.whole("QLEN_MON_START", 0, 0) < NEVER && !values.has("QLEN_MON_FILE")) {
            values.warnings.add("queues are monitored but QLEN_MON_FILE is missing; the reference crashes when a queue"
                    + " reaches 1000 bytes");
        }
        return new PacketConfig(
                transport(),
                congestion(),
                switches(),
                values.number("ERROR_RATE_PER_LINK", 0, 0, 1),
                linkDown(),
                monitor(),
                values.text("TOPOLOGY_FILE", ""),
                traced ? Optional.of(values.text("TRACE_FILE", "")) : Optional.empty(),
                outputs(traced),
                compat,
                values.warnings);
    }

    private OutputNames outputs(boolean traced) {
        if (!asReference && values.flag("ENABLE_TRACE", true) && !traced && values.has("TRACE_OUTPUT_FILE")) {
            values.refuse(
                    "TRACE_OUTPUT_FILE",
                    "TRACE_OUTPUT_FILE has no effect without a TRACE_FILE that lists nodes; ENABLE_TRACE 0 records"
                            + " none");
        }
        OutputNames names = new OutputNames(
                output("FCT_OUTPUT_FILE", OutputNames.DEFAULT.flows()),
                output("PFC_OUTPUT_FILE", OutputNames.DEFAULT.pauses()),
                output("QLEN_MON_FILE", OutputNames.DEFAULT.queues()),
                output("TRACE_OUTPUT_FILE", OutputNames.DEFAULT.frames()));
        names.clash().ifPresent(name -> values.refuse("FCT_OUTPUT_FILE", "two outputs of a run have the name " + name));
        return names;
    }

    /** Returns the file name in the path that a key gives. Outputs are written to the directory of the run, regardless of the path. */
    private String output(String key, String defaultName) {
        String path = values.text(key, defaultName);
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            values.refuse(key, key + " is '" + path + "', expected a path that ends with a file name");
            return defaultName;
        }
        return name;
    }

    private TransportSpec transport() {
        TransportSpec read = values.read(TransportSpec.class);
        if (read.ackFrom() == 0) {
            values.refuse(
                    "L2_ACK_INTERVAL",
                    "L2_ACK_INTERVAL is 0, so a sender ignores every acknowledgement and no message ends;"
                            + " 1 acknowledges every frame");
        }
        if (read.chunk() == 0 && (read.backToChunk() || (asReference && read.ackFrom() > read.payload()))) {
            values.refuse("L2_CHUNK_SIZE", "L2_CHUNK_SIZE is 0, expected the number of bytes per acknowledgement");
        }
        return read;
    }

    private CongestionSpec congestion() {
        long mode = values.whole("CC_MODE", 1, 0);
        Optional<Class<?>> known = Arrays.stream(CongestionSpec.class.getPermittedSubclasses())
                .filter(control -> control.getAnnotation(Ns3.class).value().equals(Long.toString(mode)))
                .findFirst();
        if (known.isEmpty() && !asReference && mode != 0) {
            values.refuse(
                    "CC_MODE",
                    "CC_MODE is " + mode + ", expected "
                            + CongestionSpec.numbers().entrySet().stream()
                                    .map(entry -> entry.getValue() + " (" + entry.getKey() + ")")
                                    .collect(Collectors.joining(", ")));
        }
        CongestionSpec read = (CongestionSpec)
                values.read(known.orElse(CongestionSpec.None.class).asSubclass(Record.class));
        read.unsupportedKeys().forEach(values::refuse);
        return read;
    }

    private SwitchSpec switches() {
        long mebibytes = values.whole("BUFFER_SIZE", 16, 0);
        if (!asReference && mebibytes > MAX_BUFFER_MIB) {
            values.refuse("BUFFER_SIZE", "BUFFER_SIZE is " + mebibytes + ", expected MiB up to " + MAX_BUFFER_MIB);
        }
        long pause = values.whole("PAUSE_TIME", PAUSE_TIME, 0);
        if (!asReference && pause != 0 && pause != PAUSE_TIME) {
            values.refuse(
                    "PAUSE_TIME",
                    "PAUSE_TIME is " + pause + ", which has no effect: a pause lasts until its end is announced;"
                            + " 0 turns pauses off, " + PAUSE_TIME + " leaves them on");
        }
        boolean marking = values.flag("ENABLE_QCN", true);
        return new SwitchSpec(
                mebibytes * MEBI & 0xffffffffL, (int) values.whole("HEADROOM_FACTOR", 3, 0), pause, marking, marks());
    }

    private List<MarkThreshold> marks() {
        Map<Long, Double> minimum = values.map("KMIN_MAP");
        Map<Long, Double> maximum = values.map("KMAX_MAP");
        Map<Long, Double> probability = values.map("PMAX_MAP");
        TreeSet<Long> rates = new TreeSet<>(minimum.keySet());
        rates.addAll(maximum.keySet());
        rates.addAll(probability.keySet());
        List<MarkThreshold> marks = new ArrayList<>();
        for (long rate : rates) {
            if (!asReference
                    && !(minimum.containsKey(rate) && maximum.containsKey(rate) && probability.containsKey(rate))) {
                values.refuse("KMIN_MAP", "KMIN_MAP, KMAX_MAP and PMAX_MAP do not all have the rate " + rate);
            }
            marks.add(new MarkThreshold(
                    rate,
                    (long) (minimum.getOrDefault(rate, 0.0) * MARK_UNIT),
                    (long) (maximum.getOrDefault(rate, 0.0) * MARK_UNIT),
                    probability.getOrDefault(rate, 0.0)));
        }
        return marks;
    }

    private Optional<LinkDown> linkDown() {
        List<String> words = values.words("LINK_DOWN");
        if (words.size() != 3) {
            return Optional.empty();
        }
        try {
            long micros = Long.parseLong(words.get(0));
            int a = Integer.parseInt(words.get(1));
            int b = Integer.parseInt(words.get(2));
            if (micros == 0 && a == 0 && b == 0) {
                return Optional.empty();
            }
            return Optional.of(new LinkDown(LINK_DOWN_BASE + micros * MICRO, a, b));
        } catch (NumberFormatException e) {
            values.refuse("LINK_DOWN", "LINK_DOWN is " + String.join(" ", words) + ", expected a time and two nodes");
            return Optional.empty();
        }
    }

    private Optional<Monitor> monitor() {
        long start = values.whole("QLEN_MON_START", 0, 0);
        if (start >= NEVER || (!asReference && !values.has("QLEN_MON_FILE"))) {
            return Optional.empty();
        }
        long end = asReference ? Long.MAX_VALUE : values.whole("QLEN_MON_END", Long.MAX_VALUE, 0);
        return Optional.of(new Monitor(start, end, MONITOR_PERIOD));
    }

    private void rejectKeysWithoutEffect() {
        if (asReference) {
            return;
        }
        if (!values.flag("USE_DYNAMIC_PFC_THRESHOLD", true)) {
            values.refuse(
                    "USE_DYNAMIC_PFC_THRESHOLD",
                    "USE_DYNAMIC_PFC_THRESHOLD is 0, which has no effect: thresholds always follow the free buffer");
        }
        if (values.number("SIMULATOR_STOP_TIME", 0, 0, Double.MAX_VALUE) * NANOS_PER_SECOND < Long.MAX_VALUE
                && values.has("SIMULATOR_STOP_TIME")) {
            values.refuse(
                    "SIMULATOR_STOP_TIME",
                    "SIMULATOR_STOP_TIME has no effect; simulation.stop_at_ns ends a run, and a time above 9e9 s"
                            + " means no limit");
        }
        for (String key : List.of("DATA_RATE", "LINK_DELAY")) {
            if (values.has(key)) {
                values.refuse(key, key + " has no effect; the topology file gives the rate and delay of every link");
            }
        }
    }
}
