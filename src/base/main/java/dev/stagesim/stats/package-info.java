/** Bisection, Pareto fronts, quantiles, distances, bootstrap intervals and error measures over primitive arrays; pure and deterministic. */
@NullMarked
package dev.stagesim.stats;

import org.jspecify.annotations.NullMarked;
