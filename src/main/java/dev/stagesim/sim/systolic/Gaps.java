package dev.stagesim.sim.systolic;

/**
 * How many entries of a fetch order are words, counted without listing them.
 *
 * <p>A lane is a column of the operand's tiles, lanes of all tiles numbered through; places run down a tile.
 */
interface Gaps {
    /** Words of a lane at places below one. */
    long before(int lane, int place);

    /** Words of all lanes below one. */
    long lanesBefore(int lane);
}
