/** Converts a linked trace to a Chakra execution trace. */
@NullMarked
package dev.stagesim.feature.pytorch.convert;

import org.jspecify.annotations.NullMarked;
