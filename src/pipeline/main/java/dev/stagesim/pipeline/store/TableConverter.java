package dev.stagesim.pipeline.store;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Converts the declared tables of a finished run from CSV to another format. */
public final class TableConverter {
    private static final List<String> PAGES = List.of("report.html", "report.md", "summary.md");

    private TableConverter() {}

    public static void pack(List<TableSchema> schemas, TableFormat format, StageContext run) throws IOException {
        List<String> packed = new ArrayList<>();
        for (TableSchema schema : schemas) {
            Path csv = run.out().resolve(schema.name());
            if (Files.isRegularFile(csv)) {
                TableFile.pack(csv, schema, format);
                packed.add(schema.name());
            }
        }
        if (packed.isEmpty()) {
            run.warn("no table of this run supports output.format");
        }
        for (String page : PAGES) {
            rename(run.out().resolve(page), packed, format);
        }
    }

    /** Updates file names in pages. Names of files of other runs, and names with the same ending, are unchanged. */
    static void rename(Path page, List<String> packed, TableFormat format) throws IOException {
        if (!Files.isRegularFile(page)) {
            return;
        }
        String text = InputFile.text(page);
        String renamed = text;
        for (String csv : packed) {
            renamed = renamed.replaceAll("(?<![A-Za-z0-9_/-])" + csv.replace(".", "\\.") + "\\b", format.file(csv));
        }
        if (!renamed.equals(text)) {
            Files.writeString(page, renamed);
        }
    }
}
