package dev.stagesim.sim.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a collective runs along one dimension.
 *
 * @param procedure the procedure
 * @param window messages in flight, where the procedure has a window; 0 means all but one of the NPUs
 * @param flat whether one ring of all NPUs replaces the dimensions ({@code oneRing} and its kin)
 */
public record Algorithm(Procedure procedure, int window, boolean flat) {
    /** The names, for people. */
    public static final String NAMES = "ring, direct, direct<window>, halvingDoubling, doubleBinaryTree, and oneRing,"
            + " oneDirect, oneDirect<window>, oneHalvingDoubling over all NPUs as one dimension";

    private static final String ONE = "one";
    private static final int MOST_DIGITS = 5;
    private static final Pattern NUMBER = Pattern.compile("[ \\t-\\r]*([+-]?\\d+)");

    /** One message at a time round a ring. */
    public static final Algorithm RING = new Algorithm(new RingProcedure("ring", false), 0, false);

    /** Every procedure: another one is a file and a line here. */
    static final List<Procedure> PROCEDURES =
            List.of(RING.procedure, new RingProcedure("direct", true), new HalvingProcedure(), new TreeProcedure());

    /** What may stand in a list of implementations, for messages. */
    public static List<String> options() {
        List<String> options = new ArrayList<>();
        for (boolean flat : new boolean[] {false, true}) {
            for (Procedure its : PROCEDURES) {
                if (!flat || its.isFlattened()) {
                    options.add(word(its, flat));
                    if (its.isWindowed()) {
                        options.add(word(its, flat) + "<window>");
                    }
                }
            }
        }
        return options;
    }

    /** The algorithm of this name, if there is one; a window has one to five digits and is above 0. */
    public static Optional<Algorithm> parse(String name) {
        return parse(name, PROCEDURES);
    }

    static Optional<Algorithm> parse(String name, List<Procedure> procedures) {
        for (Procedure its : procedures) {
            for (boolean flat : new boolean[] {false, true}) {
                String word = word(its, flat);
                String window = name.startsWith(word) ? name.substring(word.length()) : "-";
                boolean isNumber = window.matches("[1-9]\\d{0," + (MOST_DIGITS - 1) + "}");
                if ((its.isFlattened() || !flat) && (window.isEmpty() || (its.isWindowed() && isNumber))) {
                    int messages = window.isEmpty() ? 0 : Integer.parseInt(window);
                    return Optional.of(new Algorithm(its, messages, flat));
                }
            }
        }
        return Optional.empty();
    }

    /** The name with the window that the reference reads: the number that begins the next five characters; -1 is none. */
    public static String plain(String name) {
        for (Procedure its : PROCEDURES) {
            for (boolean flat : new boolean[] {false, true}) {
                String word = word(its, flat);
                if (its.isWindowed() && name.startsWith(word)) {
                    String rest = name.substring(word.length(), Math.min(name.length(), word.length() + MOST_DIGITS));
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

    private static String word(Procedure its, boolean flat) {
        String name = its.name();
        return flat ? ONE + Character.toUpperCase(name.charAt(0)) + name.substring(1) : name;
    }
}
