/** Recorded runs of the Chakra tools: one part per tool. */
@NullMarked
package dev.stagesim.verify.chakra;

import org.jspecify.annotations.NullMarked;
