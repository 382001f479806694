package dev.stagesim.sim.trace.generate;

import dev.stagesim.sim.trace.generate.TrainingOptions.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Placement of processors: tensor-parallel ranks are adjacent, then data-parallel replicas, then pipeline stages.
 *
 * <p>Groups are numbered from 1, kind by kind. Kinds with groups of one member are omitted.
 */
public final class TrainingLayout {
    private final Split split;
    private final boolean hasExperts;
    private final boolean isTied;

    /** Kinds of groups in the order of their numbers. */
    enum Kind {
        /** Tensor-parallel group: processors that split each layer. */
        TENSOR,
        /** Data-parallel group: replicas of the same share of a stage. */
        DATA,
        /** Expert-parallel group: replicas that divide the experts among them. */
        EXPERT,
        EXPERT_DATA,
        /** First and last pipeline stage, which both store the embedding. */
        EMBEDDING
    }

    public TrainingLayout(TrainingOptions options) {
        split = options.split();
        hasExperts = options.model().isMixtureOfExperts();
        isTied = options.model().tieEmbeddings() && split.pp() > 1;
    }

    int stage(int npu) {
        return npu / (split.tp() * split.dp());
    }

    private int copy(int npu) {
        return npu / split.tp() % split.dp();
    }

    private int share(int npu) {
        return npu % split.tp();
    }

    /** Returns the processor at the same position in another stage. */
    int inStage(int npu, int stage) {
        return npu + (stage - stage(npu)) * split.tp() * split.dp();
    }

    /** Members per group of this kind; 1 if there are no groups. */
    int size(Kind kind) {
        return switch (kind) {
            case TENSOR -> split.tp();
            case DATA -> split.dp();
            case EXPERT -> hasExperts ? split.ep() : 1;
            case EXPERT_DATA -> hasExperts && split.ep() > 1 ? split.dp() / split.ep() : 1;
            case EMBEDDING -> isTied ? 2 : 1;
        };
    }

    int group(Kind kind, int npu) {
        int before = 0;
        for (Kind earlier : Kind.values()) {
            if (earlier == kind) {
                break;
            }
            before += count(earlier);
        }
        return 1 + before + index(kind, npu);
    }

    private int count(Kind kind) {
        int size = size(kind);
        if (size == 1) {
            return 0;
        }
        return kind == Kind.EMBEDDING ? split.tp() * split.dp() : split.npus() / size;
    }

    private int index(Kind kind, int npu) {
        int place = stage(npu) * split.tp() + share(npu);
        return switch (kind) {
            case TENSOR -> npu / split.tp();
            case DATA -> place;
            case EXPERT -> place * (split.dp() / split.ep()) + copy(npu) / split.ep();
            case EXPERT_DATA -> place * split.ep() + copy(npu) % split.ep();
            case EMBEDDING -> npu % (split.tp() * split.dp());
        };
    }

    public Map<Integer, List<Integer>> groups() {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (Kind kind : Kind.values()) {
            if (count(kind) == 0) {
                continue;
            }
            for (int npu = 0; npu < split.npus(); npu++) {
                boolean isOutside = kind == Kind.EMBEDDING && stage(npu) != 0 && stage(npu) != split.pp() - 1;
                if (!isOutside) {
                    groups.computeIfAbsent(group(kind, npu), none -> new ArrayList<>())
                            .add(npu);
                }
            }
        }
        return groups;
    }
}
