/** Rules that change the number of instances, and the instances that start, stop and fail. */
@NullMarked
package dev.stagesim.feature.cluster.autoscaler;

import org.jspecify.annotations.NullMarked;
