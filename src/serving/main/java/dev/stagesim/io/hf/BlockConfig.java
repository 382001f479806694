package dev.stagesim.io.hf;

import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;

/** One entry of {@code block_configs}: a layer of a pruned model with its own shape. */
record BlockConfig(LocatedJson block, int heads, int hidden, List<Problem> problems) {
    private static final int MULTIPLE = 256;

    /** Members of {@code attention}. */
    record Attention(
            Optional<Boolean> noOp,
            Optional<Boolean> replaceWithLinear,
            Optional<Integer> nHeadsInGroup,
            Optional<Integer> numKeyValueHeads,
            Optional<Integer> windowLength) {}

    /** Members of {@code ffn}. */
    record Ffn(
            Optional<Boolean> noOp,
            Optional<Boolean> replaceWithLinear,
            Optional<Double> ffnMult,
            Optional<Integer> intermediateSize) {}

    LayerPlan plan() {
        Attention attention = block.find("attention")
                .map(at -> JsonBinder.FOREIGN.bind(at, Attention.class))
                .orElseThrow(() -> block.expected("a block with members attention and ffn"));
        Ffn ffn = block.find("ffn")
                .map(at -> JsonBinder.FOREIGN.bind(at, Ffn.class))
                .orElseThrow(() -> block.expected("a block with members attention and ffn"));
        Mixer mixer = attention.noOp().orElse(false)
                ? Mixer.NONE
                : attention.replaceWithLinear().orElse(false) ? Mixer.LINEAR : Mixer.FULL;
        Feed feed =
                ffn.noOp().orElse(false) ? Feed.NONE : ffn.replaceWithLinear().orElse(false) ? Feed.LINEAR : Feed.DENSE;
        return new LayerPlan(
                mixer, feed, mixer == Mixer.FULL ? kvHeads(attention) : 0, feed == Feed.DENSE ? width(ffn) : 0);
    }

    private int kvHeads(Attention attention) {
        if (attention.windowLength().isPresent()
                || block.find("attention", "sparsify").isPresent()) {
            problems.add(block.problem("a window or sparse attention in one block is not supported"));
        }
        int group = attention.nHeadsInGroup().orElse(0);
        if (attention.numKeyValueHeads().isEmpty() && (group < 1 || heads % group != 0)) {
            problems.add(block.problem(
                    "attention states neither n_heads_in_group, a divisor of " + heads + ", nor num_key_value_heads"));
            return 1;
        }
        return attention.numKeyValueHeads().orElseGet(() -> heads / group);
    }

    /** Returns the inner width: two thirds of the multiple of the hidden size, rounded up. */
    private int width(Ffn ffn) {
        if (block.find("ffn", "moe").isPresent()) {
            problems.add(block.problem("experts in block_configs are not supported"));
        }
        if (ffn.intermediateSize().isPresent()) {
            return ffn.intermediateSize().get();
        }
        if (ffn.ffnMult().isEmpty()) {
            problems.add(block.problem("ffn states neither ffn_mult nor intermediate_size"));
        }
        int inner = (int) (2 * ffn.ffnMult().orElse(1.0) * hidden / 3);
        return (inner + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
    }
}
