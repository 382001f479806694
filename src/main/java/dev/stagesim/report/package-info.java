/**
 * Self-contained HTML pages, tables, Markdown and number formats for reports; every byte depends on the input alone.
 *
 * <p>A {@link dev.stagesim.report.Report} is rendered as a page and as Markdown; charts come from {@code report.chart}, other
 * drawings from {@link dev.stagesim.report.Drawing}.
 */
@NullMarked
package dev.stagesim.report;

import org.jspecify.annotations.NullMarked;
