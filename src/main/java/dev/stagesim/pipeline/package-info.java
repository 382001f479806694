/** Runs stages: resolves inputs, keeps run directories and their provenance. */
@NullMarked
package dev.stagesim.pipeline;

import org.jspecify.annotations.NullMarked;
