/** Content of PyTorch execution traces in memory: host traces, and traces linked with their profiler traces. */
@NullMarked
package dev.stagesim.feature.pytorch.trace;

import org.jspecify.annotations.NullMarked;
