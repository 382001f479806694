package dev.stagesim.sim.trace.inspect;

import dev.stagesim.sim.core.StableOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Layered drawing of a small graph: each node is in a row below all nodes on which it depends.
 *
 * <p>A node's row is one more than the maximum row of its dependencies. Within a row, a node is centred below its
 * dependencies. Cyclic dependencies are ignored. Lengths are in pixels.
 */
public final class LayeredDrawing {
    private static final int CHARACTER = 7;
    private static final int PADDING = 20;
    private static final int MAX_CHARACTERS = 30;
    private static final int GAP = 24;
    public static final int HEIGHT = 28;

    private static final int ROW = 76;
    private static final int MARGIN = 16;

    private final GraphView view;
    private final int[] row;
    private final double[] middle;
    private final int[] width;
    private int right;
    private int rows;

    private LayeredDrawing(GraphView view) {
        this.view = view;
        row = new int[view.size()];
        middle = new double[view.size()];
        width = new int[view.size()];
    }

    public static LayeredDrawing of(GraphView view) {
        LayeredDrawing layout = new LayeredDrawing(view);
        layout.rows();
        layout.columns();
        return layout;
    }

    /** Text shown for a node: its name, truncated if necessary, or its id. */
    public static String text(GraphView view, int node) {
        String name = view.label(node).orElse(view.id(node));
        return name.length() <= MAX_CHARACTERS ? name : name.substring(0, MAX_CHARACTERS - 1) + "…";
    }

    private void rows() {
        // An acyclic graph settles after as many rounds as it has rows. On a cycle, rows stop growing at the number of
        // nodes.
        boolean isSettled = false;
        for (int round = 0; !isSettled && round < view.size(); round++) {
            isSettled = true;
            for (int edge = 0; edge < view.edgeCount(); edge++) {
                int below = row[view.from(edge)] + 1;
                if (row[view.to(edge)] < below && below < view.size() && view.from(edge) != view.to(edge)) {
                    row[view.to(edge)] = below;
                    isSettled = false;
                }
            }
        }
        for (int node = 0; node < view.size(); node++) {
            rows = Math.max(rows, row[node] + 1);
            width[node] = text(view, node).length() * CHARACTER + PADDING;
        }
    }

    private void columns() {
        List<List<Integer>> members = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            members.add(new ArrayList<>());
        }
        for (int node = 0; node < view.size(); node++) {
            members.get(row[node]).add(node);
        }
        double[] sum = new double[view.size()];
        int[] count = new int[view.size()];
        for (List<Integer> list : members) {
            Arrays.fill(sum, 0);
            Arrays.fill(count, 0);
            wanted(sum, count);
            int[] order = list.stream().mapToInt(Integer::intValue).toArray();
            StableOrder.sort(order, (a, b) -> Double.compare(middleOf(sum, count, a), middleOf(sum, count, b)));
            double at = MARGIN;
            for (int node : order) {
                double left = Math.max(at, middleOf(sum, count, node) - width[node] / 2.0);
                middle[node] = left + width[node] / 2.0;
                at = left + width[node] + GAP;
            }
            right = Math.max(right, (int) Math.ceil(at - GAP + MARGIN));
        }
    }

    private void wanted(double[] sum, int[] count) {
        for (int edge = 0; edge < view.edgeCount(); edge++) {
            if (row[view.from(edge)] < row[view.to(edge)] && middle[view.from(edge)] > 0) {
                sum[view.to(edge)] += middle[view.from(edge)];
                count[view.to(edge)]++;
            }
        }
    }

    private static double middleOf(double[] sum, int[] count, int node) {
        return count[node] == 0 ? 0 : sum[node] / count[node];
    }

    public int left(int node) {
        return (int) Math.round(middle[node] - width[node] / 2.0);
    }

    public int width(int node) {
        return width[node];
    }

    public int top(int node) {
        return MARGIN + row[node] * ROW;
    }

    public int totalWidth() {
        return Math.max(right, 2 * MARGIN);
    }

    public int totalHeight() {
        return 2 * MARGIN + Math.max(0, rows - 1) * ROW + HEIGHT;
    }
}
