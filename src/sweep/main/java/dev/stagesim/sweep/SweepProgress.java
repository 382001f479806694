package dev.stagesim.sweep;

import java.util.OptionalDouble;

/**
 * The progress of a launch.
 *
 * @param ended jobs that have ended
 * @param failed ended jobs that failed
 * @param total jobs of the launch
 * @param secondsLeft estimated time until the last job ends; empty if unknown
 */
public record SweepProgress(int ended, int failed, int total, OptionalDouble secondsLeft) {}
