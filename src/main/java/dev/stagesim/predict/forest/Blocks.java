package dev.stagesim.predict.forest;

/**
 * Values on a grid that are equal within blocks of neighbouring keys.
 *
 * @param firstStarts index of the first key of each block along the first axis, ascending from 0
 * @param secondStarts the same along the second axis
 * @param values value of each block, row by row
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier of bulk data between two kernels; nobody compares it
public record Blocks(int[] firstStarts, int[] secondStarts, double[] values) {}
