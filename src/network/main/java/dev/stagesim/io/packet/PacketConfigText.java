package dev.stagesim.io.packet;

import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyText;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec.MarkThreshold;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes configuration files of packet networks. */
public final class PacketConfigText {
    private static final long MICRO = 1000;
    private static final long MEBI = 1 << 20;
    private static final double MARK_UNIT = 1000;
    private static final long LINK_DOWN_BASE = 2_000_000_000L;
    private static final long NEVER = 1_000_000_000_000_000_000L;

    private final StringBuilder out = new StringBuilder();

    private PacketConfigText() {}

    /**
     * Returns the text of a file that describes the network; its topology and traced nodes are in separate files. The reference
     * also requires a file of flows, which has none: the traces define the messages.
     *
     * @param plain the network; parts without effect should have the values of {@link PlainSpec}
     * @return empty if such a file cannot describe the network
     */
    public static Optional<String> of(PacketSpec plain, String topologyFile, String flowFile, String traceFile) {
        PacketConfigText text = new PacketConfigText();
        text.put("TOPOLOGY_FILE", topologyFile);
        text.put("FLOW_FILE", flowFile);
        text.put("TRACE_FILE", traceFile);
        text.put("ENABLE_TRACE", flag(!plain.traced().isEmpty()));
        text.parameters(plain.transport());
        text.put(
                "CC_MODE",
                plain.congestion().getClass().getAnnotation(Ns3.class).value());
        text.parameters((Record) plain.congestion());
        text.switches(plain);
        text.put("ERROR_RATE_PER_LINK", number(plain.lossRate()));
        plain.linkDown()
                .ifPresent(down -> text.put(
                        "LINK_DOWN", (down.atNs() - LINK_DOWN_BASE) / MICRO + " " + down.a() + " " + down.b()));
        if (plain.monitor().isPresent()) {
            text.put("QLEN_MON_FILE", OutputNames.DEFAULT.queues());
        } else if (plain.compat() == PacketSpec.Compat.NS3) {
            text.put("QLEN_MON_START", Long.toString(NEVER));
        }
        String written = text.out.toString();
        return describes(written, plain) ? Optional.of(written) : Optional.empty();
    }

    private static boolean describes(String text, PacketSpec plain) {
        try {
            PacketSpec read = ConfigFiles.parse(text, "", plain.compat()).on(plain.topology(), plain.traced());
            return PlainSpec.of(read).equals(PlainSpec.of(plain));
        } catch (StageException notSaid) {
            return false;
        }
    }

    /** Writes the parameters of a record that have a name in configuration files. */
    private void parameters(Record record) {
        for (RecordComponent component : KeyRecord.components(record.getClass())) {
            Ns3 word = component.getAnnotation(Ns3.class);
            if (word != null) {
                put(
                        word.value().split(" ", 2)[0],
                        text(KeyText.of(component.getAnnotation(Key.class)), KeyRecord.value(component, record)));
            }
        }
    }

    private static String text(KeyText key, Object value) {
        if (value instanceof Boolean flag) {
            return flag(flag);
        }
        if (value instanceof Double number) {
            return key.unit().equals(ConfigValues.RATE)
                    ? TopologyFiles.rate(Math.round(number * ConfigValues.MEGA))
                    : number(number);
        }
        return value.toString();
    }

    private void switches(PacketSpec spec) {
        put("BUFFER_SIZE", Long.toString(spec.switches().bufferBytes() / MEBI));
        put("HEADROOM_FACTOR", Integer.toString(spec.switches().headroomFactor()));
        put("PAUSE_TIME", spec.switches().pauses() ? "5" : "0");
        put("ENABLE_QCN", flag(spec.switches().marking()));
        List<MarkThreshold> marks = spec.switches().marks();
        if (spec.switches().marking()) {
            put("KMIN_MAP", map(marks, mark -> whole(mark.minBytes() / MARK_UNIT)));
            put("KMAX_MAP", map(marks, mark -> whole(mark.maxBytes() / MARK_UNIT)));
            put("PMAX_MAP", map(marks, mark -> number(mark.probability())));
        }
    }

    private static String map(List<MarkThreshold> marks, Function<MarkThreshold, String> value) {
        return marks.size()
                + marks.stream()
                        .map(mark -> " " + mark.rate() + " " + value.apply(mark))
                        .collect(Collectors.joining());
    }

    /** Returns the text of an integer. {@link #describes} rejects a value with a fraction. */
    private static String whole(double value) {
        return Long.toString((long) value);
    }

    private void put(String key, String value) {
        out.append(key).append(' ').append(value).append('\n');
    }

    private static String flag(boolean value) {
        return value ? "1" : "0";
    }

    private static String number(double value) {
        return ShortestDouble.of(value);
    }
}
