package dev.stagesim.sim.trace.text;

import java.util.ArrayList;
import java.util.List;

/**
 * The groups of a transformer: neighbours share weights, and those at the same place among their neighbours combine gradients.
 *
 * @param modelGroup neighbours that share weights; divides the processors
 */
public record TextGroups(int numNpus, int modelGroup) {

    static TextGroups of(TextOptions options) {
        return new TextGroups(options.numNpus(), options.modelGroup());
    }

    /** Name of the group that a processor is in, from 1: first those that share weights. */
    String name(TextNode.Span span, int npu) {
        int shared = numNpus / modelGroup;
        return Integer.toString(1 + (span == TextNode.Span.MODEL_GROUP ? npu / modelGroup : shared + npu % modelGroup));
    }

    /** Members of every group in the order of the names; groups of one processor are left out of no name. */
    public List<List<Integer>> members() {
        List<List<Integer>> groups = new ArrayList<>();
        for (int first = 0; first < numNpus; first += modelGroup) {
            groups.add(range(first, first + modelGroup, 1));
        }
        for (int place = 0; place < modelGroup; place++) {
            groups.add(range(place, numNpus, modelGroup));
        }
        return groups;
    }

    private static List<Integer> range(int from, int to, int step) {
        List<Integer> members = new ArrayList<>();
        for (int npu = from; npu < to; npu += step) {
            members.add(npu);
        }
        return members;
    }
}
