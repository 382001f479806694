/**
 * A small chart kit: pure builders from numbers to SVG.
 *
 * <p>Each series differs in colour, in line or fill pattern and in mark shape, so no chart depends on colour alone.
 */
@NullMarked
package dev.stagesim.report.chart;

import org.jspecify.annotations.NullMarked;
