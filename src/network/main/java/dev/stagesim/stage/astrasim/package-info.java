/** The stage {@code astra_sim}: collectives and training steps on a network of NPUs. */
@NullMarked
package dev.stagesim.stage.astrasim;

import org.jspecify.annotations.NullMarked;
