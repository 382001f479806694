package dev.stagesim.sim.collective.procedure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Algorithm of a collective along one dimension.
 *
 * @param procedure the procedure
 * @param window messages in flight, for windowed procedures; 0 means one per other NPU
 * @param flat whether one ring of all NPUs replaces the dimensions ({@code oneRing} and similar names)
 */
public record Algorithm(Procedure procedure, int window, boolean flat) {
    /** All names, for messages. */
    public static final String NAMES = "ring, direct, direct<window>, halvingDoubling, doubleBinaryTree, and oneRing,"
            + " oneDirect, oneDirect<window>, oneHalvingDoubling over all NPUs as one dimension";

    private static final String ONE = "one";
    private static final int MAX_DIGITS = 5;
    private static final Pattern NUMBER = Pattern.compile("[ \\t-\\r]*([+-]?\\d+)");

    /** A ring with one message in flight. */
    public static final Algorithm RING = new Algorithm(new RingProcedure("ring", false), 0, false);

    /** All procedures. A new procedure needs a class and an entry here. */
    public static final List<Procedure> PROCEDURES =
            List.of(RING.procedure, new RingProcedure("direct", true), new HalvingProcedure(), new TreeProcedure());

    /** Valid names in a list of implementations, for messages. */
    public static List<String> options() {
        List<String> options = new ArrayList<>();
        for (boolean flat : new boolean[] {false, true}) {
            for (Procedure procedure : PROCEDURES) {
                if (!flat || procedure.isFlattened()) {
                    options.add(word(procedure, flat));
                    if (procedure.isWindowed()) {
                        options.add(word(procedure, flat) + "<window>");
                    }
                }
            }
        }
        return options;
    }

    /** Returns the algorithm with this name, if any. A window has one to five digits and is above 0. */
    public static Optional<Algorithm> parse(String name) {
        return parse(name, PROCEDURES);
    }

    public static Optional<Algorithm> parse(String name, List<Procedure> procedures) {
        for (Procedure procedure : procedures) {
            for (boolean flat : new boolean[] {false, true}) {
                String word = word(procedure, flat);
                String window = name.startsWith(word) ? name.substring(word.length()) : "-";
                boolean isNumber = window.matches("[1-9]\\d{0," + (MAX_DIGITS - 1) + "}");
                if ((procedure.isFlattened() || !flat) && (window.isEmpty() || (procedure.isWindowed() && isNumber))) {
                    int messages = window.isEmpty() ? 0 : Integer.parseInt(window);
                    return Optional.of(new Algorithm(procedure, messages, flat));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Normalises the window of a name as the reference does. The reference parses the number at the start of the next
     * five characters, and treats -1 as no window.
     */
    public static String plain(String name) {
        for (Procedure procedure : PROCEDURES) {
            for (boolean flat : new boolean[] {false, true}) {
                String word = word(procedure, flat);
                if (procedure.isWindowed() && name.startsWith(word)) {
                    String rest = name.substring(word.length(), Math.min(name.length(), word.length() + MAX_DIGITS));
                    Matcher number = NUMBER.matcher(rest);
                    if (!number.lookingAt()) {
                        return name;
                    }
                    int window = Integer.parseInt(number.group(1));
                    return window == -1 ? word : word + window;
                }
            }
        }
        return name;
    }

    private static String word(Procedure procedure, boolean flat) {
        String name = procedure.name();
        return flat ? ONE + Character.toUpperCase(name.charAt(0)) + name.substring(1) : name;
    }
}
