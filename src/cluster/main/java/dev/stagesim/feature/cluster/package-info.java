/** The stage {@code cluster_sim}: pools of engines with routers and prefill/decode disaggregation. */
@NullMarked
package dev.stagesim.feature.cluster;

import org.jspecify.annotations.NullMarked;
