package dev.stagesim.predict.forest;

/**
 * Values on a grid, constant within blocks of neighbouring keys.
 *
 * @param firstStarts index of the first key of each block along the first axis, ascending from 0
 * @param secondStarts likewise along the second axis
 * @param values value of each block, row by row
 */
@SuppressWarnings("ArrayRecordComponent") // bulk data between two kernels; never compared
public record Blocks(int[] firstStarts, int[] secondStarts, double[] values) {}
