/** Placement of routed experts on devices, and how often each expert is chosen. */
@NullMarked
package dev.stagesim.feature.cluster.experts;

import org.jspecify.annotations.NullMarked;
