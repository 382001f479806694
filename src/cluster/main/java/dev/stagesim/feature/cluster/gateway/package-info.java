/** Admission, queue and tenants of a cluster. */
@NullMarked
package dev.stagesim.feature.cluster.gateway;

import org.jspecify.annotations.NullMarked;
