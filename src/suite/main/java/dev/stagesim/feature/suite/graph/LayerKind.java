package dev.stagesim.feature.suite.graph;

/**
 * A kind of layer.
 *
 * @param signature syntax of the layer
 * @param rule adds the layer's operators to a step
 */
record LayerKind(NodeSignature signature, Rule rule) {
    /** Computes a layer's output shape and adds its operators. */
    @FunctionalInterface
    interface Rule {
        /**
         * Applies the rule to one layer.
         *
         * @throws IllegalLayer if the input has the wrong shape
         */
        Tensor apply(Tensor input, LayerCall call, GraphBuilder graph);
    }

    /** Reports that a layer does not fit its input. */
    static final class IllegalLayer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        IllegalLayer(String message) {
            super(message);
        }
    }

    /** Checks the number of axes of an input. */
    static void rank(Tensor input, int rank, String what) {
        if (input.rank() != rank) {
            throw new IllegalLayer("takes " + what + ", but its input is " + input);
        }
    }
}
