/**
 * A small chart library: pure builders from numbers to SVG.
 *
 * <p>Series differ in colour, in line or fill pattern and in mark shape, so no chart depends on colour alone.
 */
@NullMarked
package dev.stagesim.report.chart;

import org.jspecify.annotations.NullMarked;
