package dev.stagesim.io.drawing;

import dev.stagesim.io.json.TraceEvents;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.sim.trace.inspect.NodeTimeline;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import java.util.TreeSet;

/** Writes timelines in the trace-event JSON format of Perfetto and Chrome: one process per NPU, one thread per lane. */
public final class TimelineJson {
    private static final int LANES_OF_KIND = 1000;
    private static final List<String> KINDS = List.of("local memory", "remote memory", "computation", "communication");

    private final TraceEvents events;

    private TimelineJson(Writer out) throws IOException {
        events = new TraceEvents(out, "ms");
    }

    public static TimelineJson begin(Writer out) throws IOException {
        return new TimelineJson(out);
    }

    /** Adds the nodes of a processor's trace. */
    public void add(int npu, TraceGraph graph) throws IOException {
        events.process(npu, "NPU " + npu + (NodeTimeline.isRecorded(graph) ? "" : " (earliest starts)"));
        TreeSet<Integer> lanes = new TreeSet<>();
        try {
            NodeTimeline.forEach(graph, slice -> {
                int lane = slice.kind().ordinal() * LANES_OF_KIND + slice.lane();
                lanes.add(lane);
                event(npu, lane, graph, slice);
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (int lane : lanes) {
            String kind = KeyNames.constant(NodeTimeline.Kind.values()[lane / LANES_OF_KIND]);
            events.thread(npu, lane, lane % LANES_OF_KIND == 0 ? kind : kind + " " + lane % LANES_OF_KIND);
        }
    }

    private void event(int npu, int lane, TraceGraph graph, NodeTimeline.Slice slice) {
        int node = slice.node();
        events.event('X').number("pid", npu).number("tid", lane).number("ts", slice.start());
        events.number("dur", graph.duration(node))
                .text("name", graph.name(node))
                .args();
        events.number("id", Long.toUnsignedString(graph.id(node)))
                .text("type", graph.type(node).name());
        if (graph.bytes(node) != TraceGraph.NONE) {
            events.number("bytes", graph.bytes(node));
        }
        events.end();
    }

    public void end() throws IOException {
        events.finish();
    }

    /**
     * Writes the runs of a simulator's log.
     *
     * @param megahertz clock rate that converts cycles to time
     */
    public static void write(List<IssueLog.Run> runs, long megahertz, Writer out) throws IOException {
        TraceEvents events = new TraceEvents(out, "ms");
        TreeSet<Long> npus = new TreeSet<>();
        for (IssueLog.Run run : runs) {
            if (npus.add(run.npu())) {
                events.process(run.npu(), "NPU " + run.npu());
                for (int kind = 0; kind < KINDS.size(); kind++) {
                    events.thread(run.npu(), kind + 1, KINDS.get(kind));
                }
            }
            events.event('X').number("pid", run.npu()).number("tid", run.kind());
            events.number("ts", ShortestDouble.of((double) run.issued() / megahertz));
            events.number("dur", ShortestDouble.of((double) (run.done() - run.issued()) / megahertz));
            events.text("name", run.name()).end();
        }
        events.finish();
    }
}
