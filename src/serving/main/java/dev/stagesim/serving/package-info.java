/**
 * Converts settings, a profiling bundle and a workload to the input of the serving simulator, for all stages that simulate a
 * service.
 */
@NullMarked
package dev.stagesim.serving;

import org.jspecify.annotations.NullMarked;
