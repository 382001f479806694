/** Workloads as users configure them, for all kinds of workload and of run. */
@NullMarked
package dev.stagesim.workload;

import org.jspecify.annotations.NullMarked;
