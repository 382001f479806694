/** Runs stages: resolves inputs, manages run directories and records provenance. */
@NullMarked
package dev.stagesim.pipeline;

import org.jspecify.annotations.NullMarked;
