package dev.stagesim.feature.suite.graph;

import dev.stagesim.model.KeyNames;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Elementwise operators and their cost per value.
 *
 * <p>Costs count the operations of the standard formulas, with 4 for a transcendental function. They rank operators and
 * feed a roofline; results do not depend on small errors.
 */
enum Elementwise {
    RELU(1, 1, OpClass.ELEMENTWISE),
    SIGMOID(6, 3, OpClass.ELEMENTWISE),
    TANH(4, 3, OpClass.ELEMENTWISE),
    SWISH(7, 6, OpClass.ELEMENTWISE),
    GELU(8, 12, OpClass.ELEMENTWISE),
    BIAS(1, 1, OpClass.ELEMENTWISE),
    ADD(1, 0, OpClass.ELEMENTWISE),
    SCALE(1, 2, OpClass.ELEMENTWISE),
    DROPOUT(3, 1, OpClass.ELEMENTWISE),
    ROTATE(3, 3, OpClass.ELEMENTWISE),
    SOFTMAX(7, 4, OpClass.ELEMENTWISE),
    GATES(30, 40, OpClass.ELEMENTWISE),
    LOSS(8, 2, OpClass.ELEMENTWISE),
    LAYER_NORM(8, 12, OpClass.NORM),
    BATCH_NORM(8, 12, OpClass.NORM),
    MAX_POOL(1, 1, OpClass.POOL),
    MEAN(1, 1, OpClass.POOL);

    private static final List<Elementwise> ACTIVATIONS = List.of(RELU, SIGMOID, TANH, SWISH, GELU);

    private final int forward;
    private final int backward;
    private final OpClass type;

    Elementwise(int forward, int backward, OpClass type) {
        this.forward = forward;
        this.backward = backward;
        this.type = type;
    }

    int forward() {
        return forward;
    }

    int backward() {
        return backward;
    }

    OpClass type() {
        return type;
    }

    String text() {
        return KeyNames.constant(this);
    }

    /** Returns the activation with that name. */
    static Optional<Elementwise> activation(String name) {
        return ACTIVATIONS.stream()
                .filter(function -> function.text().equals(name))
                .findFirst();
    }

    /** Names of activations. */
    static List<String> activations() {
        return Arrays.stream(values())
                .filter(ACTIVATIONS::contains)
                .map(Elementwise::text)
                .toList();
    }
}
