package dev.stagesim.sim.trace.text;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Processor groups of a transformer.
 *
 * <p>Numbering follows Megatron-LM: tensor-parallel processors are adjacent, then the replicas of one pipeline stage,
 * then the stages.
 *
 * @param modelGroup number of processors that share a layer's weights
 * @param expertGroup number of replicas that share the experts
 * @param stages number of pipeline stages
 */
public record TextGroups(int numNpus, int modelGroup, int expertGroup, int stages) {
    /** No groups; for texts with other parallelisms. */
    public static TextGroups none(int numNpus) {
        return new TextGroups(numNpus, 1, 1, 1);
    }

    /** Replicas per pipeline stage. */
    private int replicas() {
        return numNpus / (modelGroup * stages);
    }

    /** Returns the sizes that do not divide the number of processors, as error messages; empty if all do. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (numNpus % Math.multiplyExact((long) modelGroup, stages) != 0) {
            String stage = stages == 1 ? "" : " in " + stages + " pipeline stages";
            problems.add("groups of " + modelGroup + stage + " do not divide " + numNpus + " processors evenly");
        } else if (replicas() % expertGroup != 0) {
            problems.add("expert groups of " + expertGroup + " do not divide " + replicas() + " replicas evenly");
        }
        return problems;
    }

    /** Size of the groups of a kind. */
    int size(TextNode.Span span) {
        return switch (span) {
            case MODEL_GROUP -> modelGroup;
            case DATA_GROUP -> replicas();
            case EXPERT_GROUP -> expertGroup;
            case EXPERT_DATA_GROUP -> replicas() / expertGroup;
            case ALL, FIRST, OTHERS -> numNpus;
        };
    }

    /** Kinds of groups; expert groups only if they differ from the data-parallel groups. */
    private List<TextNode.Span> kinds() {
        return expertGroup == 1
                ? List.of(TextNode.Span.MODEL_GROUP, TextNode.Span.DATA_GROUP)
                : List.of(
                        TextNode.Span.MODEL_GROUP,
                        TextNode.Span.DATA_GROUP,
                        TextNode.Span.EXPERT_GROUP,
                        TextNode.Span.EXPERT_DATA_GROUP);
    }

    /** Name of a processor's group of a kind: its position in {@link #members}, from 1. */
    String name(TextNode.Span span, int npu) {
        TextNode.Span kind =
                span == TextNode.Span.EXPERT_DATA_GROUP && expertGroup == 1 ? TextNode.Span.DATA_GROUP : span;
        int before = 0;
        for (TextNode.Span each : kinds().subList(0, kinds().indexOf(kind))) {
            before += numNpus / size(each);
        }
        return Integer.toString(1 + before + index(kind, npu));
    }

    /** Index of a processor's group among the groups of its kind. */
    private int index(TextNode.Span kind, int npu) {
        int place = npu % modelGroup;
        int replica = npu / modelGroup % replicas();
        int stage = npu / modelGroup / replicas();
        return switch (kind) {
            case MODEL_GROUP -> npu / modelGroup;
            case DATA_GROUP -> stage * modelGroup + place;
            case EXPERT_GROUP -> (stage * (replicas() / expertGroup) + replica / expertGroup) * modelGroup + place;
            case EXPERT_DATA_GROUP -> (stage * expertGroup + replica % expertGroup) * modelGroup + place;
            case ALL, FIRST, OTHERS -> 0;
        };
    }

    /** Members of each group, in the order of the names. */
    public List<List<Integer>> members() {
        List<List<Integer>> groups = new ArrayList<>();
        for (TextNode.Span kind : kinds()) {
            List<List<Integer>> ofKind = IntStream.range(0, numNpus / size(kind))
                    .<List<Integer>>mapToObj(group -> new ArrayList<>())
                    .toList();
            IntStream.range(0, numNpus)
                    .forEach(npu -> ofKind.get(index(kind, npu)).add(npu));
            groups.addAll(ofKind);
        }
        return groups;
    }
}
