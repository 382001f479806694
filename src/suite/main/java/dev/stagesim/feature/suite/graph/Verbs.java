package dev.stagesim.feature.suite.graph;

import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Operations on samples in the input pipeline, and special operations of a step: one line each. */
public final class Verbs {
    private static final String OPS = "workload.data.ops";
    private static final String SPECIAL = "workload.special";

    private static final List<NodeSignature> DATA = Stream.of(
                    "append_mask",
                    "batch",
                    "block_mask",
                    "brightness ~DELTA",
                    "center",
                    "center_time",
                    "complex",
                    "cond_augment",
                    "decode_bytes",
                    "decode_raw",
                    "fft_real",
                    "fft_rows",
                    "flat_map",
                    "flip_horizontal",
                    "flip_vertical",
                    "frame LENGTH STEP",
                    "interleave CYCLE OFFSETS",
                    "length LEAST MOST",
                    "log1p",
                    "lower",
                    "nms_scale BOXES KEPT",
                    "noise ~DEVIATION",
                    "pad_cut LENGTH",
                    "padded",
                    "parse_sparse",
                    "ragged",
                    "ragged_to_dense",
                    "ramp",
                    "random_contrast",
                    "random_crop SIZE",
                    "rescale",
                    "resize HEIGHT WIDTH",
                    "roll STEPS",
                    "rotate_quarter",
                    "scale *FACTOR",
                    "scan MODULUS",
                    "sparse_to_dense",
                    "sparsify ~LEAST",
                    "split",
                    "stateless_normal",
                    "stateless_uniform",
                    "stft LENGTH STEP",
                    "table_lookup WORDS",
                    "weighted_normals",
                    "window SIZE SHIFT",
                    "zero_odd")
            .map(usage -> new NodeSignature(usage, List.of()))
            .toList();

    private static final List<NodeSignature> STEP = Stream.of(
                    "accumulate STEPS",
                    "block_mask",
                    "eager",
                    "infer_lengths FIRST [SECOND]",
                    "length_mask",
                    "map_sum",
                    "masking",
                    "private_pool THREADS",
                    "ragged_unique",
                    "side_while TRIPS")
            .map(usage -> new NodeSignature(usage, List.of()))
            .toList();

    private Verbs() {}

    /** Checks the pipeline's verbs, the verb that runs on the host, and the specials of a step. */
    public static List<Problem> check(List<String> ops, Optional<String> host, List<String> specials) {
        List<Problem> problems = new ArrayList<>(LayerCall.check(OPS, "verb", ops, DATA));
        problems.addAll(LayerCall.check(SPECIAL, "special", specials, STEP));
        List<String> named = ops.stream().map(line -> LayerCall.of(line).name()).toList();
        host.filter(verb -> !named.contains(verb))
                .ifPresent(verb -> problems.add(Problem.config(
                                "workload.table.host",
                                "names '" + verb + "', which is not a verb in this workload's data.ops")
                        .options(named)));
        return problems;
    }
}
