/** Links a host trace with the profiler trace of the same run. */
@NullMarked
package dev.stagesim.feature.pytorch.link;

import org.jspecify.annotations.NullMarked;
