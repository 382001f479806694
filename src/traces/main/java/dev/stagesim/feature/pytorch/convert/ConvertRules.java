package dev.stagesim.feature.pytorch.convert;

/**
 * Rules for the conversion of a linked trace.
 *
 * @param isReference true to reproduce the reference byte for byte, including its data loss
 * @param rank global rank of the process, from 0
 * @param isUnknownComputed true to turn an unidentified communication into a computation instead of an error
 */
public record ConvertRules(boolean isReference, int rank, boolean isUnknownComputed) {}
