/**
 * Searches that query a stage for metrics without artifacts: the maximum load that meets an SLO, the best of many
 * combinations, and the Pareto-optimal ones. Results depend only on the candidates and the settings, not on threads.
 */
@NullMarked
package dev.stagesim.sweep.search;

import org.jspecify.annotations.NullMarked;
