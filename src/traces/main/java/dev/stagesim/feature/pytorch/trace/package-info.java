/**
 * PyTorch execution traces: links the host trace with the profiler trace, and converts the result to a Chakra execution
 * trace. Pure: both input and output are traces in memory.
 */
@NullMarked
package dev.stagesim.feature.pytorch.trace;

import org.jspecify.annotations.NullMarked;
