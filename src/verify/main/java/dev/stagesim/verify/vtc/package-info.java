/** Recorded decisions of the virtual token counter. */
@NullMarked
package dev.stagesim.verify.vtc;

import org.jspecify.annotations.NullMarked;
