/** Stage {@code suite_report}: measured workloads of the profiling suite. */
@NullMarked
package dev.stagesim.feature.suite.report;

import org.jspecify.annotations.NullMarked;
