/** The stage {@code compare}: differences between two runs of the same requests, and their causes. */
@NullMarked
package dev.stagesim.stage.compare;

import org.jspecify.annotations.NullMarked;
