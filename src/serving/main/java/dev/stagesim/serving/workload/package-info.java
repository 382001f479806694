/** Configuration of request workloads: lengths, rows of files, sharing and labels. */
@NullMarked
package dev.stagesim.serving.workload;

import org.jspecify.annotations.NullMarked;
