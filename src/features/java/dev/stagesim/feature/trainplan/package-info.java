/** The stage {@code train_plan}: which parallelism fits, how fast it is, and the settings to run it. */
@NullMarked
package dev.stagesim.feature.trainplan;

import org.jspecify.annotations.NullMarked;
