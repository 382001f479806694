package dev.stagesim.sim.systolic.order;

/**
 * Maps a matrix element of an operand to its address, relative to the operand's first word; -1 for an element without a
 * word.
 */
public interface AddressMap {
    long at(int row, int column);
}
