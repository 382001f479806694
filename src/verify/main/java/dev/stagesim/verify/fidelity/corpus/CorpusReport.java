package dev.stagesim.verify.fidelity.corpus;

import dev.stagesim.cli.FidelityTool;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Errors of the predictions of a corpus. */
public interface CorpusReport extends FidelityTool.Report {
    /** How many rows were predicted, and how well. */
    String headline();

    List<DataTable> tables();

    /** Assumptions for values that rows do not state. */
    List<String> assumptions();

    /** Every prediction as lines of CSV. */
    List<String> csv();

    /** Title of the page. */
    String title();

    /** Returns the page. */
    default String html() {
        Report page = new Report(title()).answer(headline());
        int number = 0;
        for (DataTable table : tables()) {
            page.section("table-" + ++number, "Table " + number).table(table);
        }
        return page.footer("Stagesim · fidelity").html();
    }

    @Override
    default List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(headline()));
        tables().forEach(table -> lines.add("\n" + table.markdown()));
        lines.add("Assumptions for values that rows do not state:");
        assumptions().forEach(each -> lines.add("- " + each));
        return lines;
    }

    @Override
    default void write(Path dir) throws IOException {
        Files.write(dir.resolve("predictions.csv"), csv());
        Files.writeString(dir.resolve("report.html"), html());
    }
}
