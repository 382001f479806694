package dev.stagesim.config.tree;

import java.util.Map;
import java.util.Optional;

/**
 * Limits the growth of one configuration by concatenation and copies, which can double the size at every step.
 *
 * <p>The size is counted in characters of text. Every item and key adds {@value #ITEM}.
 */
public final class Allowance {
    public static final int ITEM = 16;
    /** Maximum size of one value, in characters. */
    public static final int MAX_VALUE = 1 << 21;

    private static final int MAX_TOTAL = 1 << 23;

    private long used;

    /**
     * Adds a new value to the total. Returns an error message if a limit is exceeded.
     *
     * @param added size of the new part
     * @param whole size of the whole value
     */
    public Optional<String> charge(long added, long whole) {
        used += Math.max(added, whole / ITEM); // the whole value is copied, even if the new part is small
        if (whole > MAX_VALUE) {
            return Optional.of(
                    "joined, the value has more than " + MAX_VALUE + " characters (an item counts as " + ITEM + ")");
        }
        return isExhausted()
                ? Optional.of("with this value, what the configuration joins and copies has more than " + MAX_TOTAL
                        + " characters (an item counts as " + ITEM + ")")
                : Optional.empty();
    }

    /** True if the total exceeds the limit. */
    public boolean isExhausted() {
        return used > MAX_TOTAL;
    }

    /** Returns the size of a node. Counting stops at the limit of one value. */
    public static long weight(Node node) {
        return weight(node, 0);
    }

    private static long weight(Node node, long before) {
        long sum = before + ITEM;
        if (node instanceof ScalarNode leaf) {
            return sum + leaf.text().length();
        }
        if (node instanceof ListNode list) {
            for (int i = 0; i < list.items().size() && sum <= MAX_VALUE; i++) {
                sum = weight(list.items().get(i), sum);
            }
            return sum;
        }
        for (Map.Entry<String, Node> entry : ((MapNode) node).entries().entrySet()) {
            if (sum <= MAX_VALUE) {
                sum = weight(entry.getValue(), sum + entry.getKey().length());
            }
        }
        return sum;
    }
}
