/** The stage {@code suite_report}: measured workloads of the profiling suite side by side. */
@NullMarked
package dev.stagesim.feature.suite.report;

import org.jspecify.annotations.NullMarked;
