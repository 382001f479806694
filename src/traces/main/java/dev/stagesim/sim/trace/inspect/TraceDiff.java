package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.sim.core.LongIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Compares two traces node by node; nodes are matched by id. */
public final class TraceDiff {
    /** Result for a node. */
    public enum Kind {
        /** Only the first trace contains the node. */
        REMOVED,
        /** Only the second trace contains the node. */
        ADDED,
        /** Both traces contain the node, with differences. */
        CHANGED
    }

    /**
     * A node that differs.
     *
     * @param name name in the first trace, or in the second if only that one contains the node
     * @param fields differing fields; empty unless the node changed
     */
    public record Change(Kind kind, long id, String name, Map<String, Values> fields) {}

    /** Values of a field in both traces; empty if absent. */
    public record Values(String before, String after) {}

    private final List<EtNode> before;
    private final LongIndex positions;
    private final boolean[] isMatched;

    /**
     * @param before nodes of the first trace
     */
    public TraceDiff(List<EtNode> before) {
        this.before = before;
        positions = new LongIndex(before.size());
        isMatched = new boolean[before.size()];
        for (int i = 0; i < before.size(); i++) {
            positions.put(before.get(i).id(), i);
        }
    }

    /** Returns the difference of the next node in the second trace. */
    public Optional<Change> next(EtNode after) {
        int at = positions.get(after.id());
        if (at < 0) {
            return Optional.of(new Change(Kind.ADDED, after.id(), after.name(), Map.of()));
        }
        isMatched[at] = true;
        EtNode first = before.get(at);
        if (first.equals(after)) {
            return Optional.empty();
        }
        return Optional.of(new Change(Kind.CHANGED, first.id(), first.name(), fields(first, after)));
    }

    /** Returns the nodes that are missing in the second trace. Call after its last node. */
    public List<Change> removed() {
        List<Change> list = new ArrayList<>();
        for (int i = 0; i < isMatched.length; i++) {
            if (!isMatched[i]) {
                list.add(new Change(
                        Kind.REMOVED, before.get(i).id(), before.get(i).name(), Map.of()));
            }
        }
        return list;
    }

    private static Map<String, Values> fields(EtNode first, EtNode second) {
        Map<String, Values> fields = new TreeMap<>();
        put(fields, "name", first.name(), second.name());
        put(fields, "type", type(first), type(second));
        put(fields, "ctrl_deps", Arrays.toString(first.ctrlDeps()), Arrays.toString(second.ctrlDeps()));
        put(fields, "data_deps", Arrays.toString(first.dataDeps()), Arrays.toString(second.dataDeps()));
        put(
                fields,
                "start_time_micros",
                Long.toUnsignedString(first.startTimeMicros()),
                Long.toUnsignedString(second.startTimeMicros()));
        put(
                fields,
                "duration_micros",
                Long.toUnsignedString(first.durationMicros()),
                Long.toUnsignedString(second.durationMicros()));
        io(fields, "inputs", first.inputs(), second.inputs());
        io(fields, "outputs", first.outputs(), second.outputs());
        attributes(fields, first.attributes(), second.attributes());
        if (!Arrays.equals(first.unknown(), second.unknown())) {
            fields.put(
                    "unknown fields",
                    new Values(first.unknown().length + " bytes", second.unknown().length + " bytes"));
        }
        return fields;
    }

    private static String type(EtNode node) {
        return node.type() + (node.typeNumber() == node.type().ordinal() ? "" : " " + node.typeNumber());
    }

    private static void put(Map<String, Values> fields, String name, String first, String second) {
        if (!first.equals(second)) {
            fields.put(name, new Values(first, second));
        }
    }

    private static void io(Map<String, Values> fields, String name, Optional<EtIo> first, Optional<EtIo> second) {
        put(
                fields,
                name + ".values",
                first.map(EtIo::values).orElse(""),
                second.map(EtIo::values).orElse(""));
        put(
                fields,
                name + ".shapes",
                first.map(EtIo::shapes).orElse(""),
                second.map(EtIo::shapes).orElse(""));
        put(
                fields,
                name + ".types",
                first.map(EtIo::types).orElse(""),
                second.map(EtIo::types).orElse(""));
    }

    private static void attributes(Map<String, Values> fields, List<EtAttribute> first, List<EtAttribute> second) {
        Map<String, String> before = texts(first);
        Map<String, String> after = texts(second);
        before.forEach((name, value) -> put(fields, "attr." + name, value, after.getOrDefault(name, "")));
        after.forEach((name, value) -> put(fields, "attr." + name, before.getOrDefault(name, ""), value));
        if (before.equals(after) && !first.equals(second)) {
            fields.put("attr", new Values("one order", "another order, or repeated names"));
        }
    }

    private static Map<String, String> texts(List<EtAttribute> attributes) {
        Map<String, String> texts = new TreeMap<>();
        attributes.forEach(attribute -> texts.put(attribute.name(), text(attribute.value()) + attribute.doc()));
        return texts;
    }

    private static String text(EtValue value) {
        if (value instanceof EtValue.Whole whole) {
            return whole.kind() == EtKind.BOOL
                    ? Boolean.toString(whole.value() != 0)
                    : whole.value() + " " + whole.kind().label();
        }
        if (value instanceof EtValue.Text text) {
            return "'" + text.value() + "'";
        }
        return value instanceof EtValue.Real real
                ? real.value() + " " + real.kind().label()
                : value.toString();
    }
}
