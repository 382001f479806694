/**
 * Searches that ask a stage for figures without artifacts: the greatest load that meets an SLO, the best of many
 * combinations, and Pareto-optimal ones. Results depend on the candidates and the settings alone, not on threads.
 */
@NullMarked
package dev.stagesim.sweep.search;

import org.jspecify.annotations.NullMarked;
