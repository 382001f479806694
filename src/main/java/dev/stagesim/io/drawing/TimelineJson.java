package dev.stagesim.io.drawing;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.sim.trace.inspect.Timeline;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** Writes timelines for Perfetto and Chrome: trace-event JSON, a process for each processor, a thread for each lane. */
public final class TimelineJson {
    private static final int LANES_OF_KIND = 1000;
    private static final List<String> KINDS = List.of("local memory", "remote memory", "computation", "communication");

    private final Appendable out;
    private String separator = "\n";

    private TimelineJson(Appendable out) {
        this.out = out;
    }

    /** Begins a file; {@link #add} adds to it and {@link #end} ends it. */
    public static TimelineJson begin(Appendable out) throws IOException {
        out.append("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
        return new TimelineJson(out);
    }

    /** Adds the nodes of a processor's trace. */
    public void add(int npu, TraceGraph graph) throws IOException {
        name("process_name", npu, 0, "NPU " + npu + (Timeline.isRecorded(graph) ? "" : " (earliest starts)"));
        TreeSet<Integer> lanes = new TreeSet<>();
        try {
            Timeline.forEach(graph, slice -> {
                int lane = slice.kind().ordinal() * LANES_OF_KIND + slice.lane();
                lanes.add(lane);
                event(npu, lane, graph, slice);
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (int lane : lanes) {
            String kind = Timeline.Kind.values()[lane / LANES_OF_KIND].name().toLowerCase(Locale.ROOT);
            name("thread_name", npu, lane, lane % LANES_OF_KIND == 0 ? kind : kind + " " + lane % LANES_OF_KIND);
        }
    }

    private void event(int npu, int lane, TraceGraph graph, Timeline.Slice slice) {
        try {
            int node = slice.node();
            line("{\"ph\":\"X\",\"pid\":" + npu + ",\"tid\":" + lane + ",\"ts\":" + slice.start() + ",\"dur\":"
                    + graph.duration(node) + ",\"name\":" + Json.quoted(graph.name(node)) + ",\"args\":{\"id\":"
                    + Long.toUnsignedString(graph.id(node)) + ",\"type\":\"" + graph.type(node) + "\""
                    + (graph.bytes(node) == TraceGraph.NONE ? "" : ",\"bytes\":" + graph.bytes(node)) + "}}");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void name(String what, int npu, int lane, String name) throws IOException {
        line("{\"ph\":\"M\",\"pid\":" + npu + ",\"tid\":" + lane + ",\"name\":\"" + what + "\",\"args\":{\"name\":"
                + Json.quoted(name) + "}}");
    }

    private void line(String event) throws IOException {
        out.append(separator).append(event);
        separator = ",\n";
    }

    public void end() throws IOException {
        out.append("\n]}\n");
    }

    /** Writes runs from a simulator's log, whose cycles are {@code megahertz} million a second. */
    public static void write(List<IssueLog.Run> runs, long megahertz, Appendable out) throws IOException {
        TimelineJson json = begin(out);
        TreeSet<Long> npus = new TreeSet<>();
        for (IssueLog.Run run : runs) {
            if (npus.add(run.npu())) {
                json.name("process_name", (int) run.npu(), 0, "NPU " + run.npu());
                for (int kind = 0; kind < KINDS.size(); kind++) {
                    json.name("thread_name", (int) run.npu(), kind + 1, KINDS.get(kind));
                }
            }
            json.line("{\"ph\":\"X\",\"pid\":" + run.npu() + ",\"tid\":" + run.kind() + ",\"ts\":"
                    + ShortestDouble.of((double) run.issued() / megahertz) + ",\"dur\":"
                    + ShortestDouble.of((double) (run.done() - run.issued()) / megahertz) + ",\"name\":"
                    + Json.quoted(run.name()) + "}");
        }
        json.end();
    }

    /**
     * The same as the reference's tool writes it: on one line, and in milliseconds, which viewers take for microseconds.
     *
     * @param npus number of processors
     */
    public static String likeReference(List<IssueLog.Run> runs, long megahertz, long npus) {
        List<String> events = new ArrayList<>();
        for (IssueLog.Run run : runs) {
            String issued = ShortestDouble.of((double) run.issued() / megahertz / 1000);
            String lasts = ShortestDouble.of((run.done() - run.issued()) / (double) (megahertz * 1000));
            events.add("{\"pid\": " + run.npu() + ", \"tid\": " + run.kind() + ", \"ts\": " + issued + ", \"dur\": "
                    + lasts
                    + ", \"ph\": \"X\", \"name\": " + ascii(Json.quoted(run.name())) + ", \"args\": {\"ms\": " + lasts
                    + "}}");
        }
        return "{\"meta_user\": \"aras\", \"traceEvents\": [" + String.join(", ", events) + "], \"meta_cpu_count\": "
                + npus + "}";
    }

    private static String ascii(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x7f) {
                plain.append(c);
            } else {
                plain.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return plain.toString();
    }
}
