package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.contract.JsonArtifacts;
import org.junit.jupiter.api.Test;

final class ArtifactSchemasTest {
    @Test
    void steadyViewLeavesOutWhatMayDiffer() {
        JsonValue.Obj document = Json.parse(
                        """
                        {"run_id": "a-1", "started_at": "x", "env": {"os": "o"},
                         "inputs": [{"path": "/p", "role": "r", "run_id": null, "sha256": "s"}]}
                        """,
                        "t")
                .object();
        assertThat(Json.compact(ArtifactSchemas.steady(JsonArtifacts.RUN_META, document)))
                .isEqualTo("{\"inputs\":[{\"role\":\"r\",\"run_id\":null,\"sha256\":\"s\"}],\"run_id\":\"a-1\"}");
    }

    @Test
    void schemaRefusesMissingUnknownAndWrongMembers() {
        JsonSchemaCheck check = new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifacts.RUN_META)));
        int members = JsonArtifacts.RUN_META.fields().size();
        assertThat(check.problems(Json.parse("{}", "t"))).hasSize(members);
        assertThat(check.problems(Json.parse("{\"other\": 1, \"schema_version\": 9}", "t")))
                .hasSize(members + 1)
                .extracting(problem -> problem.where())
                .contains("t#/schema_version");
    }
}
