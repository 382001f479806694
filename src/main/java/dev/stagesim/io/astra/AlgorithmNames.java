package dev.stagesim.io.astra;

import dev.stagesim.sim.collective.Algorithm;
import dev.stagesim.sim.collective.Algorithm.Family;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of collective algorithms: {@code ring}, {@code direct4}, {@code oneHalvingDoubling} and so on. */
public final class AlgorithmNames {
    private static final Pattern DIRECT = Pattern.compile("(direct|oneDirect)([1-9]\\d{0,4})");
    private static final List<String> PLAIN = List.of(
            "ring", "direct", "halvingDoubling", "doubleBinaryTree", "oneRing", "oneDirect", "oneHalvingDoubling");
    private static final List<String> OPTIONS =
            List.of(("ring direct direct<window> halvingDoubling doubleBinaryTree oneRing oneDirect "
                            + "oneDirect<window> oneHalvingDoubling")
                    .split(" ", 0));

    private AlgorithmNames() {}

    /** What may stand in a list of implementations, for messages. */
    public static List<String> options() {
        return OPTIONS;
    }

    /** The algorithm of this name, if there is one; a window has one to five digits and is above 0. */
    public static Optional<Algorithm> parse(String name) {
        Matcher direct = DIRECT.matcher(name);
        if (direct.matches()) {
            int window = Integer.parseInt(direct.group(2));
            return Optional.of(new Algorithm(Family.DIRECT, window, name.startsWith("one")));
        }
        if (!PLAIN.contains(name)) {
            return Optional.empty();
        }
        Family family =
                switch (name) {
                    case "ring", "oneRing" -> Family.RING;
                    case "direct", "oneDirect" -> Family.DIRECT;
                    case "doubleBinaryTree" -> Family.DOUBLE_BINARY_TREE;
                    default -> Family.HALVING_DOUBLING;
                };
        return Optional.of(new Algorithm(family, 0, name.startsWith("one")));
    }
}
