package dev.stagesim.contract;

import dev.stagesim.model.ShortestDouble;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders the reference page of all artifacts from their declarations. */
public final class ArtifactReference {
    private final StringBuilder out = new StringBuilder();

    private ArtifactReference() {}

    /** Returns the page as Markdown. */
    public static String markdown(List<TableSchema> tables, List<JsonArtifact> documents) {
        ArtifactReference page = new ArtifactReference();
        page.line("# Artifacts").line("");
        page.line("Generated from the declarations in package `dev.stagesim.contract`; do not edit.")
                .line("");
        page.line("Times are integer nanoseconds relative to the start of the run unless the name says otherwise.")
                .line("Tables are RFC 4180 CSV in UTF-8 with a header line; JSON has sorted keys and 2-space indent.")
                .line("")
                .line(
                        "A column is present and has a value in every row, unless its type says \"optional\" (the column can be")
                .line(
                        "missing) or \"can be empty\" (single values can be). A JSON member is present and not null, unless its")
                .line(
                        "type says \"optional\" or \"can be null\". Volatile members can differ between two runs with the same")
                .line(
                        "configuration; digests and comparisons of files exclude them. A rule applies to the rows in which its")
                .line("values are not empty.");
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
        line("| column | type | meaning |").line("|---|---|---|");
        for (Column column : table.columns()) {
            row(column.name(), type(column), column.doc() + options(column));
        }
        if (!table.invariants().isEmpty()) {
            line("").line("Rules:").line("");
            table.invariants().forEach(rule -> line("- " + rule.describe()));
        }
    }

    private void row(String name, String type, String doc) {
        line("| `" + name + "` | " + type + " | " + doc.replace("|", "\\|") + " |");
    }

    private static String type(Column column) {
        String text = ShortestDouble.of(column.min());
        String min = text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
        return list(
                lower(column.type()),
                column.unit(),
                column.min() == Double.NEGATIVE_INFINITY ? "" : ">= " + min,
                column.required() ? "" : "optional",
                column.nullable() ? "can be empty" : "");
    }

    private static String list(String... parts) {
        return Stream.of(parts).filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
    }

    private static String lower(Enum<?> type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static String options(Column column) {
        return column.values().isEmpty() ? "" : " One of `" + String.join("`, `", column.values()) + "`.";
    }

    private void document(JsonArtifact document) {
        line("").line("## `" + document.name() + "`").line("");
        line(document.doc() + " Version " + document.version() + ".").line("");
        line("| member | type | meaning |").line("|---|---|---|");
        fields("", document.fields(), true);
    }

    private void fields(String prefix, List<JsonField> fields, boolean steady) {
        for (JsonField field : fields) {
            boolean counts = steady && field.steady();
            String list = field.type() == JsonField.Type.OBJECTS ? "[]" : "";
            String type = list(
                    lower(field.type()),
                    field.required() ? "" : "optional",
                    field.nullable() ? "can be null" : "",
                    counts ? "" : "volatile");
            row(prefix + field.name(), type, field.doc());
            fields(prefix + field.name() + list + ".", field.fields(), counts);
        }
    }
}
