/** Recorded workloads of the ASTRA-sim 1.0 generator. */
@NullMarked
package dev.stagesim.verify.mnk;

import org.jspecify.annotations.NullMarked;
