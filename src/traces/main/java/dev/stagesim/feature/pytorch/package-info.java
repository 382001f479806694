/** Links execution traces and profiles recorded by PyTorch, and converts them to Chakra execution traces. */
@NullMarked
package dev.stagesim.feature.pytorch;

import org.jspecify.annotations.NullMarked;
