package dev.stagesim.config;

import dev.stagesim.config.tree.Node;

/** Renders configuration trees as text. */
public final class ConfigText {
    private ConfigText() {}

    /** HOCON in the tree's own order, ending in a newline; with {@code origins}, each leaf says where it came from. */
    public static String hocon(Node node, boolean origins) {
        throw new UnsupportedOperationException("hocon " + node + origins);
    }

    /** Indented JSON in the tree's own order, ending in a newline. */
    public static String json(Node node) {
        throw new UnsupportedOperationException("json " + node);
    }

    /**
     * One line of JSON with sorted keys and shortest doubles: equal trees give equal text whatever their order, their
     * origins and the way their numbers were written.
     */
    public static String canonical(Node node) {
        throw new UnsupportedOperationException("canonical " + node);
    }
}
