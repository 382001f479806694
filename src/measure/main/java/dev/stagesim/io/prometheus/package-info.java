/** Reads metrics in the text format of Prometheus and OpenMetrics. */
@NullMarked
package dev.stagesim.io.prometheus;

import org.jspecify.annotations.NullMarked;
