/**
 * The stage {@code fabric}: computes the resources and cost of a workload on a target, and searches for the cheapest
 * target and settings.
 */
@NullMarked
package dev.stagesim.feature.fabric;

import org.jspecify.annotations.NullMarked;
