/**
 * The stage {@code train_plan}: finds the fastest parallelism that fits, and writes the framework settings to run it.
 */
@NullMarked
package dev.stagesim.feature.trainplan;

import org.jspecify.annotations.NullMarked;
