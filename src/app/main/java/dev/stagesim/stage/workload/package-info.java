/** The stage workload: requests with lengths and arrival times, generated or read from public traces. */
@NullMarked
package dev.stagesim.stage.workload;

import org.jspecify.annotations.NullMarked;
