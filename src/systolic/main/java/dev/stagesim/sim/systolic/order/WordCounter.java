package dev.stagesim.sim.systolic.order;

/**
 * Counts the words of a fetch order, which also has empty entries, without enumerating the order.
 *
 * <p>A lane is a column of the operand's tiles; lanes are numbered across all tiles. A place is a row within the tile.
 */
public interface WordCounter {
    /** Words in a lane at places less than {@code place}. */
    long before(int lane, int place);

    /** Words in all lanes less than {@code lane}. */
    long lanesBefore(int lane);
}
