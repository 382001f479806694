/** Recorded runs of BLIS, the blackbox inference simulator. */
@NullMarked
package dev.stagesim.verify.blis;

import org.jspecify.annotations.NullMarked;
