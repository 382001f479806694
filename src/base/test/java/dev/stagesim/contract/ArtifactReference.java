package dev.stagesim.contract;

import dev.stagesim.model.ShortestDouble;
import java.util.List;
import java.util.Locale;

/** Renders the reference page of all artifacts from their declarations. */
public final class ArtifactReference {
    private final StringBuilder out = new StringBuilder();

    private ArtifactReference() {}

    /** The page, in Markdown. */
    public static String markdown(List<TableSchema> tables, List<JsonArtifact> documents) {
        ArtifactReference page = new ArtifactReference();
        page.line("# Artifacts").line("");
        page.line("Generated from the declarations in package `dev.stagesim.contract`; do not edit.")
                .line("");
        page.line("Times are integer nanoseconds relative to the start of the run unless the name says otherwise.")
                .line("Tables are RFC 4180 CSV in UTF-8 with a header line; JSON has sorted keys and 2-space indent.");
        tables.forEach(page::table);
        documents.forEach(page::document);
        return page.out.toString();
    }

    private ArtifactReference line(String text) {
        out.append(text).append('\n');
        return this;
    }

    private void table(TableSchema table) {
        line("").line("## `" + table.name() + "`").line("");
        line(table.doc() + " Version " + table.version() + ".").line("");
        line("| column | type | unit | required | may be empty | least | meaning |");
        line("|---|---|---|---|---|---|---|");
        for (Column column : table.columns()) {
            line("| `" + column.name() + "` | " + column.type().name().toLowerCase(Locale.ROOT) + " | " + column.unit()
                    + " | " + yes(column.required()) + " | " + yes(column.nullable()) + " | " + least(column) + " | "
                    + cell(column.doc() + options(column)) + " |");
        }
        if (!table.invariants().isEmpty()) {
            line("").line("Rules, for rows where the values are not empty:").line("");
            table.invariants().forEach(rule -> line("- " + rule.describe()));
        }
    }

    private static String yes(boolean flag) {
        return flag ? "yes" : "no";
    }

    private static String lacking(JsonField field) {
        return (field.nullable() ? "null " : "") + (field.required() ? "" : "absent ");
    }

    private static String least(Column column) {
        if (column.min() == Double.NEGATIVE_INFINITY) {
            return "";
        }
        String text = ShortestDouble.of(column.min());
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    private static String options(Column column) {
        return column.values().isEmpty() ? "" : " One of `" + String.join("`, `", column.values()) + "`.";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }

    private void document(JsonArtifact document) {
        line("").line("## `" + document.name() + "`").line("");
        line(document.doc() + " Version " + document.version() + ".").line("");
        line("Volatile members may differ between two runs of the same question; digests and byte comparisons leave")
                .line("them out.")
                .line("");
        line("| member | type | may be | volatile | meaning |");
        line("|---|---|---|---|---|");
        fields("", document.fields(), true);
    }

    private void fields(String prefix, List<JsonField> fields, boolean steady) {
        for (JsonField field : fields) {
            boolean counts = steady && field.steady();
            String list = field.type() == JsonField.Type.OBJECTS ? "[]" : "";
            line("| `" + prefix + field.name() + "` | " + field.type().name().toLowerCase(Locale.ROOT) + " | "
                    + lacking(field) + " | " + yes(!counts) + " | " + cell(field.doc()) + " |");
            fields(prefix + field.name() + list + ".", field.fields(), counts);
        }
    }
}
