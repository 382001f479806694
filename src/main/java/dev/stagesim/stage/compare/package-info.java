/** The stage {@code compare}: two runs of the same requests, how far they are apart, and why. */
@NullMarked
package dev.stagesim.stage.compare;

import org.jspecify.annotations.NullMarked;
