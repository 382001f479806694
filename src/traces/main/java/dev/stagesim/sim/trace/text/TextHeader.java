package dev.stagesim.sim.trace.text;

import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Labelled numbers after the parallelism of a transformer, as written by ASTRA-sim 1.0 and SimAI.
 *
 * <p>A label ends with an optional colon and is followed by one number. {@code checkpoints} and {@code
 * checkpoint_initiates} are followed by a count and that number of layers. Labels may have any order.
 */
final class TextHeader {
    private static final String MODEL_GROUP = "model_parallel_NPU_group";
    private static final String EXPERTS = "ep";
    private static final String STAGES = "pp";
    private static final String NPUS = "all_gpus";
    private static final String CHECKPOINTS = "checkpoints";
    private static final String INITIATORS = "checkpoint_initiates";
    private static final String STAGE_BYTES = "pp_comm";

    /** Labels without effect on the nodes: each layer is used once, as listed. */
    private static final List<String> WITHOUT_EFFECT = List.of("vpp", "ga");

    private static final List<String> LABELS =
            List.of(MODEL_GROUP, EXPERTS, STAGES, "vpp", "ga", NPUS, CHECKPOINTS, INITIATORS, STAGE_BYTES);

    private final TextWorkload workload;
    private final Map<String, List<Integer>> values = new LinkedHashMap<>();

    private TextHeader(TextWorkload workload) {
        this.workload = workload;
    }

    /** Reads the first line. An unknown label, a repeated label or a number without a label is an input error. */
    static TextHeader of(TextWorkload workload) {
        TextHeader header = new TextHeader(workload);
        List<String> words = workload.header();
        int at = 1;
        while (at < words.size()) {
            at = header.read(words, at);
        }
        return header;
    }

    private int read(List<String> words, int at) {
        String label = words.get(at).replaceFirst(":$", "");
        if (PythonText.integer(label).isPresent()) {
            throw workload.error(1, "the number " + label + " has no label");
        }
        if (!LABELS.contains(label)) {
            throw StageException.input(workload.problem(1, "unknown label '" + words.get(at) + "'")
                    .options(LABELS)
                    .didYouMean(Suggest.near(label, LABELS)));
        }
        boolean isList = label.equals(CHECKPOINTS) || label.equals(INITIATORS);
        int minimum = isList || label.equals(STAGE_BYTES) ? 0 : 1;
        int first = number(words, at + 1, label, minimum);
        List<Integer> numbers = new ArrayList<>();
        if (isList) {
            for (int i = 0; i < first; i++) {
                numbers.add(number(words, at + 2 + i, label, 0));
            }
        } else {
            numbers.add(first);
        }
        if (values.put(label, numbers) != null) {
            throw workload.error(1, "the label '" + label + "' appears twice");
        }
        return at + 2 + (isList ? first : 0);
    }

    private int number(List<String> words, int at, String label, int minimum) {
        Optional<Integer> value = at < words.size()
                ? PythonText.integer(words.get(at))
                        .filter(number -> number.bitLength() < Integer.SIZE)
                        .map(Number::intValue)
                : Optional.empty();
        String found = at < words.size() ? "found '" + words.get(at) + "'" : "found the end of the line";
        return value.filter(number -> number >= minimum)
                .orElseThrow(() -> workload.error(
                        1, "after '" + label + "' expected a whole number of at least " + minimum + ", " + found));
    }

    private int size(String label, int absent) {
        return values.getOrDefault(label, List.of(absent)).get(0);
    }

    /** Returns the groups for {@code npus} processors. */
    TextGroups groups(int npus) {
        int model = size(MODEL_GROUP, 0);
        if (model == 0) {
            throw workload.error(1, "expected the number of processors that share a layer's weights: " + MODEL_GROUP);
        }
        return new TextGroups(npus, model, size(EXPERTS, 1), size(STAGES, 1));
    }

    /** Number of processors in the text, or empty if absent. */
    OptionalInt npus() {
        int npus = size(NPUS, 0);
        return npus == 0 ? OptionalInt.empty() : OptionalInt.of(npus);
    }

    /** Properties of the first line that the traces do not represent, for a warning. */
    List<String> omissions() {
        List<String> omissions = new ArrayList<>();
        WITHOUT_EFFECT.stream()
                .filter(label -> size(label, 1) > 1)
                .map(label ->
                        label + ": " + size(label, 1) + " has no effect, because the layers are taken once, as listed")
                .forEach(omissions::add);
        if (size(STAGES, 1) > 1) {
            omissions.add("the traces have no transfers between the " + size(STAGES, 1) + " pipeline stages");
        }
        return omissions;
    }

    /** Layers to compute again in the backward pass. */
    Recomputation recomputation() {
        SortedSet<Integer> checkpoints = layers(CHECKPOINTS);
        SortedSet<Integer> initiators = layers(INITIATORS);
        for (int layer : initiators) {
            if (checkpoints.headSet(layer + 1).isEmpty()) {
                throw workload.error(1, "there is no checkpoint before layer " + layer);
            }
        }
        return new Recomputation(checkpoints, initiators);
    }

    /** Rejects recomputation labels for parallelisms that do not support them. */
    void refuseRecomputation() {
        for (String label : List.of(CHECKPOINTS, INITIATORS)) {
            if (!values.getOrDefault(label, List.of()).isEmpty()) {
                throw workload.error(1, "'" + label + "' has no effect with " + workload.parallelism());
            }
        }
    }

    private SortedSet<Integer> layers(String label) {
        SortedSet<Integer> layers = new TreeSet<>(values.getOrDefault(label, List.of()));
        int count = workload.layers().size();
        if (!layers.isEmpty() && layers.last() >= count) {
            throw workload.error(
                    1, "'" + label + "' names layer " + layers.last() + ", but the layers are 0 to " + (count - 1));
        }
        return layers;
    }
}
