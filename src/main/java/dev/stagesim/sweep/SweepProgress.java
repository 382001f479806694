package dev.stagesim.sweep;

import java.util.OptionalDouble;

/**
 * How far a launch is.
 *
 * @param ended jobs that ended
 * @param failed those of them that failed
 * @param total jobs of the launch
 * @param secondsLeft estimate of the time until the last ends; empty while nothing is known
 */
public record SweepProgress(int ended, int failed, int total, OptionalDouble secondsLeft) {}
