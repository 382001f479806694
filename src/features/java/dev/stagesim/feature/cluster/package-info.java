/** The stage {@code cluster_sim}: pools of engines behind routers, with prompts and outputs together or apart. */
@NullMarked
package dev.stagesim.feature.cluster;

import org.jspecify.annotations.NullMarked;
