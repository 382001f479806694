package dev.stagesim.feature.pytorch.trace;

/**
 * How a linked trace is converted.
 *
 * @param isReference whether the result is the reference's byte for byte, with what it loses
 * @param rank rank of the process in the world, from 0
 * @param isUnknownComputed whether a communication that cannot be told becomes a computation instead of an error
 */
public record ConvertRules(boolean isReference, int rank, boolean isUnknownComputed) {}
