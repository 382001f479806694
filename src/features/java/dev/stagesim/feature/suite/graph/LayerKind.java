package dev.stagesim.feature.suite.graph;

/**
 * A kind of layer.
 *
 * @param signature how it is written
 * @param rule what it adds to a step
 */
record LayerKind(Signature signature, Rule rule) {
    /** Turns a layer's input into its output and adds its operators. */
    @FunctionalInterface
    interface Rule {
        /**
         * Reads one layer.
         *
         * @throws IllegalLayer when the input has the wrong shape
         */
        Tensor apply(Tensor input, Call call, GraphBuilder graph);
    }

    /** Says why a layer cannot stand where it stands. */
    static final class IllegalLayer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        IllegalLayer(String why) {
            super(why);
        }
    }

    /** Refuses an input of another number of axes. */
    static void rank(Tensor input, int rank, String what) {
        if (input.rank() != rank) {
            throw new IllegalLayer("takes " + what + ", but its input is " + input);
        }
    }
}
