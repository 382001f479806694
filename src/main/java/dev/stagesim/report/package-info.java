/**
 * Self-contained HTML pages, tables, Markdown and number formats for reports; every byte depends on the input alone.
 *
 * <p>A page is a {@link dev.stagesim.report.Page} of sections whose bodies are {@link dev.stagesim.report.Markup};
 * charts come from {@code report.chart}.
 */
@NullMarked
package dev.stagesim.report;

import org.jspecify.annotations.NullMarked;
