/** JSON files of PyTorch: execution traces and profiler traces (read as streams), and linked traces. */
@NullMarked
package dev.stagesim.feature.pytorch.json;

import org.jspecify.annotations.NullMarked;
