/** Metrics, tables and reports of a simulated cluster. */
@NullMarked
package dev.stagesim.feature.cluster.report;

import org.jspecify.annotations.NullMarked;
