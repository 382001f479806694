/** Serving instances of a cluster, and the state and time series of their requests. */
@NullMarked
package dev.stagesim.feature.cluster.instance;

import org.jspecify.annotations.NullMarked;
