/** Execution traces and profiles that PyTorch recorded, linked and converted to Chakra's execution traces. */
@NullMarked
package dev.stagesim.feature.pytorch;

import org.jspecify.annotations.NullMarked;
