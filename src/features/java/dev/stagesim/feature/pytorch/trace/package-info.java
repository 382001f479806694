/**
 * PyTorch execution traces: linking what the host recorded with what the profiler saw of the device, and converting the
 * result into a Chakra execution trace. Pure: traces in memory in, traces in memory out.
 */
@NullMarked
package dev.stagesim.feature.pytorch.trace;

import org.jspecify.annotations.NullMarked;
