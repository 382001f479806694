/** The stage {@code vidur_sim}: simulates a serving workload on a cluster with predicted operator times. */
@NullMarked
package dev.stagesim.stage.vidursim;

import org.jspecify.annotations.NullMarked;
