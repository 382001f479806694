/** The stage that makes profiling bundles: operator times of a model on a device. */
@NullMarked
package dev.stagesim.stage.vidurprofile;

import org.jspecify.annotations.NullMarked;
