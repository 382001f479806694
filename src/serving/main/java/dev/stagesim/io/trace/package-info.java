/** Readers of public workload traces: streaming, detected by content, with located errors. */
@NullMarked
package dev.stagesim.io.trace;

import org.jspecify.annotations.NullMarked;
