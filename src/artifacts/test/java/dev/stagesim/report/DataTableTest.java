package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.report.DataTable.Cell;
import java.util.List;
import org.junit.jupiter.api.Test;

class DataTableTest {
    private final DataTable table = new DataTable("Times & <more>").text("name").number("x (ms)", "a hint");

    @Test
    void writesAccessibleHeadersAndScrollArea() {
        String html = table.row("a|b", "1").html().build();
        assertThat(html)
                .contains(
                        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: Times &amp; &lt;more&gt;\">")
                .contains("<caption><span>Times &amp; &lt;more&gt;</span></caption>")
                .contains("<th scope=\"col\" class=\"num\" title=\"a hint\">x (ms)</th>")
                .contains("<th scope=\"row\">a|b</th><td class=\"num\">1</td>");
    }

    @Test
    void writesToneAndHintOfCells() {
        table.row(List.of(Cell.of("a"), Cell.of("2").tone("faint").hint("few values")));
        assertThat(table.html().build()).contains("<td class=\"num faint\" title=\"few values\">2</td>");
    }

    @Test
    void writesLinksAndSecondLinesOfCells() {
        DataTable table = new DataTable("t").text("a").number("b");
        table.row(java.util.List.of(
                DataTable.Cell.of("x"), DataTable.Cell.of("1").link("run.html").note("0 to 2")));
        assertThat(table.html().build()).contains("<a href=\"run.html\">1</a><br><span class=\"faint\">0 to 2</span>");
        assertThat(table.markdown()).contains("[1](run.html) (0 to 2)");
    }

    @Test
    void escapesBarsInMarkdown() {
        assertThat(table.row("a|b", "1").markdown())
                .isEqualTo("**Times & \\<more\\>**\n\n| name | x (ms) |\n|---|---:|\n| a\\|b | 1 |\n\n");
    }

    @Test
    void rejectsRowsWithTheWrongNumberOfCells() {
        assertThatThrownBy(() -> table.row("only one")).hasMessageContaining("1 cells in 2 columns");
    }
}
