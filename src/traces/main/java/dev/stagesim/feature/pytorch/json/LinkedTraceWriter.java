package dev.stagesim.feature.pytorch.json;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.OpText;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.feature.pytorch.trace.TraceHeader;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Writes a linked trace as JSON, one node per line. Data not used by linking is copied from the host trace. */
public final class LinkedTraceWriter {
    private static final int BUFFER = 1 << 16;

    private final OutputStream out;
    private final boolean isReference;

    private LinkedTraceWriter(OutputStream out, boolean isReference) {
        this.out = out;
        this.isReference = isReference;
    }

    /**
     * Writes a file and returns it.
     *
     * @param isReference true to omit members that the reference does not write: device number and communication facts
     */
    public static Path write(Path file, PlusTrace trace, boolean isReference) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            new LinkedTraceWriter(out, isReference).write(trace);
        }
        return file;
    }

    private void write(PlusTrace trace) throws IOException {
        header(trace.header());
        text("\"nodes\": [");
        String separator = "\n";
        for (PlusNode node : trace.nodes()) {
            text(separator);
            node(node);
            separator = ",\n";
        }
        text("\n]}\n");
    }

    private void header(TraceHeader header) throws IOException {
        text("{");
        if (!header.missing().contains("schema")) {
            text("\"schema\": " + Json.quoted(header.schema()) + ",\n");
        }
        if (!header.missing().contains("pid")) {
            text("\"pid\": " + header.pid() + ",\n");
        }
        if (!header.missing().contains("time")) {
            text("\"time\": " + Json.quoted(header.time()) + ",\n");
        }
        if (!header.missing().contains("start_ts")) {
            text("\"start_ts\": " + header.startTs() + ",\n");
        }
        if (!header.missing().contains("finish_ts")) {
            text("\"finish_ts\": " + header.finishTs() + ",\n");
        }
        for (String member : header.rest()) {
            text(member + ",\n");
        }
    }

    private void node(PlusNode node) throws IOException {
        text("{\"id\": " + node.id() + ", \"name\": " + Json.quoted(node.name()));
        if (node.parent() != OpFacts.NONE) {
            text(", \"ctrl_deps\": " + node.parent());
        }
        OpText rest = node.op().text();
        for (int i = 0; i < rest.restCount(); i++) {
            text(", ");
            out.write(rest.json(), rest.restFrom(i), rest.restTo(i) - rest.restFrom(i));
        }
        if (node.times().isPresent()) {
            times(node.times().get());
            text(", \"inter_thread_dep\": " + orNull(node.interThread()));
        }
        if (node.device().isPresent()) {
            PlusNode.DeviceSide side = node.device().get();
            text(", \"cat\": " + Json.quoted(side.category()) + ", \"ph\": " + Json.quoted(side.phase())
                    + ", \"stream\": " + orNull(side.stream()));
            if (!node.group().isEmpty()) {
                text(", \"pg_name\": " + Json.quoted(node.group()));
            }
            if (!isReference) {
                text(", \"device\": " + side.ordinal() + comm(side.comm()));
            }
        }
        if (node.after().length > 0) {
            text(", \"sync_dep\": " + Arrays.toString(node.after()));
        }
        text("}");
    }

    private static String comm(CommFacts facts) {
        if (facts.equals(CommFacts.NONE)) {
            return "";
        }
        StringBuilder members = new StringBuilder(", \"comm\": {\"src\": ")
                .append(facts.source())
                .append(", \"dst\": ")
                .append(facts.target())
                .append(", \"in_msg_nelems\": ")
                .append(facts.inElements())
                .append(", \"out_msg_nelems\": ")
                .append(facts.outElements());
        facts.collective()
                .ifPresent(name -> members.append(", \"collective_name\": ").append(Json.quoted(name)));
        facts.dtype().ifPresent(name -> members.append(", \"dtype\": ").append(Json.quoted(name)));
        facts.groupName().ifPresent(name -> members.append(", \"pg_name\": ").append(Json.quoted(name)));
        if (!facts.groupRanks().isEmpty()) {
            members.append(", \"ranks\": ").append(facts.groupRanks());
        }
        return members.append('}').toString();
    }

    private void times(PlusNode.Times times) throws IOException {
        text(", \"inclusive_dur\": " + number(times.inclusive()) + ", \"exclusive_dur\": " + number(times.exclusive())
                + ", \"ts\": " + number(times.start()));
    }

    private static String orNull(long number) {
        return number == OpFacts.NONE ? "null" : Long.toString(number);
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : ShortestDouble.of(value);
    }

    private void text(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
