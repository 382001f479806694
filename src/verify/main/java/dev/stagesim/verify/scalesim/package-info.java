/** Recorded runs of SCALE-Sim. */
@NullMarked
package dev.stagesim.verify.scalesim;

import org.jspecify.annotations.NullMarked;
