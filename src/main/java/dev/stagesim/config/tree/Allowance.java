package dev.stagesim.config.tree;

import java.util.Map;
import java.util.Optional;

/**
 * How much the values of one configuration may grow by joining and copying others, which can double at every step.
 *
 * <p>Text counts by its characters, and every item and key as {@value #ITEM} of them.
 */
public final class Allowance {
    public static final int ITEM = 16;
    /** The most for one value. */
    public static final int ONE = 1 << 21;

    private static final int ALL = 1 << 23;

    private long used;

    /**
     * Counts a value that was, or is to be, made; says what is too much, if anything is.
     *
     * @param added its weight without what was there before
     * @param whole its weight
     */
    public Optional<String> take(long added, long whole) {
        used += Math.max(added, whole / ITEM); // all of it is copied, however little is new
        if (whole > ONE) {
            return Optional.of(
                    "joined, the value has more than " + ONE + " characters (an item counts as " + ITEM + ")");
        }
        return isSpent()
                ? Optional.of("with this value, what the configuration joins and copies has more than " + ALL
                        + " characters (an item counts as " + ITEM + ")")
                : Optional.empty();
    }

    /** True when nothing more can be made. */
    public boolean isSpent() {
        return used > ALL;
    }

    /** What a node counts; counting ends where it is too much for one value. */
    public static long weight(Node node) {
        return weight(node, 0);
    }

    private static long weight(Node node, long before) {
        long sum = before + ITEM;
        if (node instanceof ScalarNode leaf) {
            return sum + leaf.text().length();
        }
        if (node instanceof ListNode list) {
            for (int i = 0; i < list.items().size() && sum <= ONE; i++) {
                sum = weight(list.items().get(i), sum);
            }
            return sum;
        }
        for (Map.Entry<String, Node> entry : ((MapNode) node).entries().entrySet()) {
            if (sum <= ONE) {
                sum = weight(entry.getValue(), sum + entry.getKey().length());
            }
        }
        return sum;
    }
}
