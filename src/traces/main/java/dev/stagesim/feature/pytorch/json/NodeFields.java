package dev.stagesim.feature.pytorch.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.HostOp;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.OpText;
import dev.stagesim.feature.pytorch.trace.OpText.Part;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Members of the node being read, for every schema version. */
final class NodeFields {
    private static final long NONE = OpFacts.NONE;
    private static final long[] NOTHING = {};
    private static final int PARTS = 2 * Part.values().length;

    private final String source;
    private final byte[] json;
    private final JsonParser in;
    private final Attributes attributes;
    private final Map<String, String> texts = new HashMap<>();

    private long id;
    private long parent;
    private String name = "";
    private int[] spans = new int[PARTS + 8];
    private int spanCount;
    private double start;
    private double inclusive;
    private double exclusive;
    private long interThread;
    private long[] after = NOTHING;
    private String category = "";
    private String phase = "";
    private long stream;
    private long device;
    private String group = "";
    private CommFacts comm = CommFacts.NONE;

    NodeFields(String source, byte[] json, JsonParser in) {
        this.source = source;
        this.json = json;
        this.in = in;
        attributes = new Attributes(source, in);
    }

    /** Reads a node. The caller has already read its opening brace. */
    void read() throws IOException {
        clear();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String member = in.currentName();
            int from = (int) in.currentTokenLocation().getByteOffset();
            JsonToken value = in.nextToken();
            if (!placed(member, value)) {
                kept(member, value);
                in.finishToken();
                segment(from, (int) in.currentLocation().getByteOffset());
            }
        }
        if (id == NONE) {
            throw TraceJsonFiles.expected(source, "a node with an id", in);
        }
    }

    private void clear() {
        id = NONE;
        parent = NONE;
        name = "";
        Arrays.fill(spans, 0);
        spanCount = PARTS;
        start = Double.NaN;
        inclusive = Double.NaN;
        exclusive = Double.NaN;
        interThread = NONE;
        after = NOTHING;
        category = "";
        phase = "";
        stream = 0;
        device = 0;
        group = "";
        comm = CommFacts.NONE;
        attributes.clear();
    }

    /** Reads a member that the writer regenerates; returns false for other members. */
    private boolean placed(String member, JsonToken value) throws IOException {
        switch (member) {
            case "id" -> id = whole(member, value);
            case "name" -> name = text();
            case "ctrl_deps", "parent" -> parent = value == JsonToken.VALUE_NULL ? NONE : whole(member, value);
            case "ts" -> start = number(member, value);
            case "inclusive_dur" -> inclusive = number(member, value);
            case "exclusive_dur" -> exclusive = number(member, value);
            case "inter_thread_dep" -> interThread = value == JsonToken.VALUE_NULL ? NONE : whole(member, value);
            case "sync_dep" -> after = wholes(member, value);
            case "cat" -> category = value == JsonToken.VALUE_NULL ? "" : text();
            case "ph" -> phase = text();
            case "stream" -> stream = value == JsonToken.VALUE_NULL ? NONE : whole(member, value);
            case "device" -> device = value == JsonToken.VALUE_NUMBER_INT ? in.getLongValue() : 0;
            case "pg_name" -> group = value == JsonToken.VALUE_NULL ? "" : text();
            case "comm" -> comm = new CommMember(in).read(value);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Parses a member that is also copied verbatim. */
    private void kept(String member, JsonToken value) throws IOException {
        switch (member) {
            case "inputs" -> values(value, Part.INPUT_VALUES);
            case "outputs" -> values(value, Part.OUTPUT_VALUES);
            // Up to version 1.0.1, all fields are members of the node.
            case "input_shapes" -> span(Part.INPUT_SHAPES);
            case "input_types" -> span(Part.INPUT_TYPES);
            case "output_shapes" -> span(Part.OUTPUT_SHAPES);
            case "output_types" -> span(Part.OUTPUT_TYPES);
            case "attrs" -> attributes.read(value);
            default -> attributes.member(member, value);
        }
    }

    private void values(JsonToken value, Part first) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            span(first);
            return;
        }
        Part[] parts = Part.values();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String part = in.currentName();
            in.nextToken();
            switch (part) {
                case "values" -> span(first);
                case "shapes" -> span(parts[first.ordinal() + 1]);
                case "types" -> span(parts[first.ordinal() + 2]);
                default -> in.skipChildren();
            }
        }
    }

    private void span(Part part) throws IOException {
        spans[2 * part.ordinal()] = (int) in.currentTokenLocation().getByteOffset();
        in.skipChildren();
        in.finishToken();
        spans[2 * part.ordinal() + 1] = (int) in.currentLocation().getByteOffset();
    }

    /** Adds a span, or extends the last one if only a comma and blanks separate them. */
    private void segment(int from, int to) {
        if (spanCount > PARTS && isBetween(spans[spanCount - 1], from)) {
            spans[spanCount - 1] = to;
            return;
        }
        if (spanCount + 2 > spans.length) {
            spans = Arrays.copyOf(spans, spans.length * 2);
        }
        spans[spanCount++] = from;
        spans[spanCount++] = to;
    }

    private boolean isBetween(int from, int to) {
        for (int i = from; i < to; i++) {
            if (json[i] != ',' && json[i] > ' ') {
                return false;
            }
        }
        return true;
    }

    private String text() throws IOException {
        return texts.computeIfAbsent(in.getText(), same -> same);
    }

    private long whole(String member, JsonToken value) throws IOException {
        if (value == JsonToken.VALUE_NUMBER_INT) {
            return in.getLongValue();
        }
        throw TraceJsonFiles.expected(source, "a whole number for " + member, in);
    }

    private double number(String member, JsonToken value) throws IOException {
        if (value.isNumeric()) {
            return in.getDoubleValue();
        }
        if (value == JsonToken.VALUE_NULL) {
            return Double.NaN;
        }
        throw TraceJsonFiles.expected(source, "a number for " + member, in);
    }

    private long[] wholes(String member, JsonToken value) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return NOTHING;
        }
        if (value != JsonToken.START_ARRAY) {
            throw TraceJsonFiles.expected(source, "a list of whole numbers for " + member, in);
        }
        long[] list = new long[4];
        int count = 0;
        for (JsonToken item = in.nextToken(); item != JsonToken.END_ARRAY; item = in.nextToken()) {
            if (count == list.length) {
                list = Arrays.copyOf(list, count * 2);
            }
            list[count++] = whole(member, item);
        }
        return Arrays.copyOf(list, count);
    }

    /** Returns the node as a host operator. */
    HostOp hostOp() {
        return new HostOp(id, parent, name, attributes.facts(), new OpText(json, Arrays.copyOf(spans, spanCount)));
    }

    /** Returns the node as a node of a linked trace. */
    PlusNode plusNode() {
        boolean isTimed = !Double.isNaN(exclusive) || !Double.isNaN(inclusive) || !Double.isNaN(start);
        Optional<PlusNode.Times> times = isTimed
                ? Optional.of(new PlusNode.Times(start, orZero(inclusive), orZero(exclusive)))
                : Optional.empty();
        Optional<PlusNode.DeviceSide> deviceSide = category.isEmpty()
                ? Optional.empty()
                : Optional.of(new PlusNode.DeviceSide(category, phase, stream, device, comm));
        return new PlusNode(id, parent, name, hostOp(), times, interThread, after, deviceSide, group);
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    /** Reads the communication facts of a linked trace. */
    private static final class CommMember {
        private final JsonParser in;
        private final Map<String, String> texts = new TreeMap<>();
        private final Map<String, Long> numbers = new TreeMap<>();
        private final List<Integer> ranks = new ArrayList<>();

        CommMember(JsonParser in) {
            this.in = in;
        }

        CommFacts read(JsonToken first) throws IOException {
            if (first != JsonToken.START_OBJECT) {
                in.skipChildren();
                return CommFacts.NONE;
            }
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                JsonToken value = in.nextToken();
                if (value == JsonToken.VALUE_NUMBER_INT) {
                    numbers.put(name, in.getLongValue());
                } else if (value == JsonToken.VALUE_STRING) {
                    texts.put(name, in.getText());
                } else if (value == JsonToken.START_ARRAY && name.equals("ranks")) {
                    while (in.nextToken() == JsonToken.VALUE_NUMBER_INT) {
                        ranks.add(in.getIntValue());
                    }
                } else {
                    in.skipChildren();
                }
            }
            return new CommFacts(
                    Optional.ofNullable(texts.get("collective_name")),
                    Optional.ofNullable(texts.get("dtype")),
                    number("in_msg_nelems"),
                    number("out_msg_nelems"),
                    Optional.ofNullable(texts.get("pg_name")),
                    ranks,
                    (int) number("src"),
                    (int) number("dst"));
        }

        private long number(String name) {
            return numbers.getOrDefault(name, -1L);
        }
    }
}
