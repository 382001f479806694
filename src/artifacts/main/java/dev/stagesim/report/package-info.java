/**
 * Self-contained HTML pages, tables, Markdown and number formats for reports. Every byte depends only on the input.
 *
 * <p>A {@link dev.stagesim.report.Report} is rendered as a page and as Markdown. Charts come from {@link dev.stagesim.report.Charts},
 * other drawings from {@link dev.stagesim.report.Drawing}.
 */
@NullMarked
package dev.stagesim.report;

import org.jspecify.annotations.NullMarked;
