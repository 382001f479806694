package dev.stagesim.sim.systolic;

/** Address of one matrix element of an operand, relative to the operand's first word; -1 where there is none. */
interface AddressMap {
    long at(int row, int column);
}
