/** Running a workload of the profiling suite in a process of its own: compiling the runner, following it, its answers. */
@NullMarked
package dev.stagesim.bench.framework;

import org.jspecify.annotations.NullMarked;
