/** JSON files of PyTorch's execution traces and profiler, read as a stream, and of linked traces. */
@NullMarked
package dev.stagesim.feature.pytorch.json;

import org.jspecify.annotations.NullMarked;
