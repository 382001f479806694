package dev.stagesim.io.json;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.stagesim.model.Problem;
import java.util.Comparator;
import java.util.List;

/**
 * Validates values against a JSON Schema (draft 2020-12).
 *
 * <p>The product checks documents against their declarations. This is a second check with an independent validator.
 */
public final class JsonSchemaCheck {
    private final Schema schema;

    /** Compiles a schema. */
    public JsonSchemaCheck(String schemaText) {
        this.schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schemaText, InputFormat.JSON);
    }

    /** Returns the violations of the schema in document order. */
    public List<Problem> problems(LocatedJson document) {
        return schema.validate(Json.compact(document.value()), InputFormat.JSON).stream()
                .map(error -> new LocatedJson(
                                document.source(),
                                pointer(error.getInstanceLocation().toString()),
                                document.value())
                        .problem(error.getMessage()))
                .distinct()
                .sorted(Comparator.comparing(Problem::where).thenComparing(Problem::what))
                .toList();
    }

    private static String pointer(String location) {
        return location.startsWith("/") ? location : "";
    }
}
