/** The stage {@code fabric}: what a workload takes on a target, and which target and settings take least. */
@NullMarked
package dev.stagesim.feature.fabric;

import org.jspecify.annotations.NullMarked;
