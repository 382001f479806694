package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Simple execution model of a converted trace: one host, and streams that each run one operator at a time.
 *
 * <p>Time advances in microsecond steps. A node is ready one step after all its dependencies were <em>issued</em>, not
 * completed, as in the reference; the result is not a prediction. Steps without events are skipped.
 */
final class IssueSimulation {
    private static final int NONE = -1;

    private final NodeTree tree;
    private final NodeMaker maker;
    private final int[] waits;
    private final int[][] followers;
    private final List<Integer> readyHost = new ArrayList<>();
    private final List<Integer> readyDevice = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    /** Node and issue time per stream, in order of issue. */
    private final List<Long> streams = new ArrayList<>();

    private final TreeMap<Long, long[]> busy = new TreeMap<>();
    private int host = NONE;
    private long hostSince;
    private long now;

    /**
     * @param kept positions of the nodes, in creation order
     */
    IssueSimulation(NodeTree tree, NodeMaker maker, DepLists deps, int[] kept) {
        this.tree = tree;
        this.maker = maker;
        waits = new int[tree.size()];
        int[] counts = new int[tree.size()];
        for (int position : kept) {
            for (long id : deps.of(position)) {
                waits[position]++;
                counts[tree.position(id)]++;
            }
        }
        followers = new int[tree.size()][];
        for (int i = 0; i < counts.length; i++) {
            followers[i] = new int[counts[i]];
        }
        Arrays.fill(counts, 0);
        for (int position : kept) {
            for (long id : deps.of(position)) {
                int before = tree.position(id);
                followers[before][counts[before]++] = position;
            }
        }
        for (int position : kept) {
            if (waits[position] == 0) {
                ready(position);
            }
        }
        readyHost.sort((a, b) -> Long.compare(tree.node(a).id(), tree.node(b).id()));
        readyDevice.sort((a, b) -> Long.compare(tree.node(a).id(), tree.node(b).id()));
    }

    private void ready(int position) {
        (tree.node(position).isDevice() ? readyDevice : readyHost).add(position);
    }

    List<String> lines() {
        while (!readyHost.isEmpty() || !readyDevice.isEmpty() || host != NONE || !busy.isEmpty()) {
            List<Integer> issued = new ArrayList<>();
            issueHost(issued);
            issueDevice(issued);
            now = issued.isEmpty() ? nextEnd() : now + 1;
            complete();
            for (int position : issued) {
                for (int follower : followers[position]) {
                    if (--waits[follower] == 0) {
                        ready(follower);
                    }
                }
            }
        }
        return lines;
    }

    private void issueHost(List<Integer> issued) {
        if (host != NONE || readyHost.isEmpty()) {
            return;
        }
        host = readyHost.remove(0);
        hostSince = now;
        issued.add(host);
        PlusNode node = tree.node(host);
        lines.add("Issuing CPU Node ID " + node.id() + " (" + node.name() + ") at " + now + "us with duration "
                + maker.duration(host) + "us, tid: " + node.op().facts().tid());
    }

    private void issueDevice(List<Integer> issued) {
        List<Integer> left = new ArrayList<>();
        for (int position : readyDevice) {
            PlusNode node = tree.node(position);
            long stream = node.device().orElseThrow().stream();
            if (busy.containsKey(stream)) {
                left.add(position);
                continue;
            }
            busy.put(stream, new long[] {position, now});
            streams.add(stream);
            issued.add(position);
            lines.add("Issuing GPU Node ID " + node.id() + " (" + node.name() + ") at " + now + "us on stream "
                    + name(stream) + " with duration " + maker.duration(position) + "us, tid: stream " + name(stream));
        }
        readyDevice.clear();
        readyDevice.addAll(left);
    }

    private static String name(long stream) {
        return stream == OpFacts.NONE ? "None" : Long.toString(stream);
    }

    /** Returns the step of the next operator end, and at least the next step. */
    private long nextEnd() {
        long next = host == NONE ? Long.MAX_VALUE : hostSince + maker.duration(host);
        for (long[] running : busy.values()) {
            next = Math.min(next, running[1] + maker.duration((int) running[0]));
        }
        return Math.max(now + 1, next);
    }

    private void complete() {
        if (host != NONE && now - hostSince >= maker.duration(host)) {
            PlusNode node = tree.node(host);
            lines.add("CPU Node ID " + node.id() + " completed at " + now + "us, tid: "
                    + node.op().facts().tid());
            host = NONE;
        }
        List<Long> left = new ArrayList<>();
        for (long stream : streams) {
            long[] running = busy.getOrDefault(stream, new long[2]);
            if (now - running[1] >= maker.duration((int) running[0])) {
                lines.add("GPU Node ID " + tree.node((int) running[0]).id() + " on stream " + name(stream)
                        + " completed at " + now + "us, tid: stream " + name(stream));
                busy.remove(stream);
            } else {
                left.add(stream);
            }
        }
        streams.clear();
        streams.addAll(left);
    }
}
