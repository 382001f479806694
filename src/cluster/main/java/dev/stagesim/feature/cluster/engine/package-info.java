/** The event loop of a cluster: routes requests, moves them between instances and applies failures. */
@NullMarked
package dev.stagesim.feature.cluster.engine;

import org.jspecify.annotations.NullMarked;
