package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.comparison.ComparisonDocument;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.measured.MeasurementDocument;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ArtifactSchemasTest {
    @Test
    void omitsVolatileMembersInTheSteadyView() {
        JsonValue.Obj document = Json.parse(
                        """
                        {"run_id": "a-1", "started_at": "x", "env": {"os": "o"},
                         "inputs": [{"path": "/p", "role": "r", "run_id": null, "sha256": "s"}]}
                        """,
                        "t")
                .object();
        assertThat(Json.compact(DigestedMembers.of(JsonArtifacts.RUN_META, document)))
                .isEqualTo("{\"inputs\":[{\"role\":\"r\",\"run_id\":null,\"sha256\":\"s\"}],\"run_id\":\"a-1\"}");
    }

    @Test
    void agreesWithAValidator() {
        String fine = Json.compact(comparison());
        assertThat(both(fine)).isEqualTo("0 0");
        List<String> wrong = List.of(
                fine.replace("\"schema_version\":2", "\"schema_version\":1"),
                fine.replace("\"interval_level\":0.95", "\"interval_level\":\"high\""),
                fine.replace("\"interval_level\":0.95", "\"interval_level\":null"),
                fine.replace("\"holds\":true", "\"holds\":1"),
                fine.replace("\"n_real\":3", "\"n_real\":-3"),
                fine.replace("[1.5,null]", "[1.5]"),
                fine.replace("[1.5,null]", "[1.5,\"x\"]"),
                fine.replace("\"evidence\":[\"e\"]", "\"evidence\":[7]"),
                fine.replace("\"throughput\":[]", "\"throughput\":{}"),
                fine.replace("\"throughput\":[]", "\"throughput\":[],\"other\":0"),
                fine.replace("\"quantile_method\":\"m\",", ""),
                fine.replace("\"sha256\":\"0", "\"sha256\":\"g"),
                "[]");
        assertThat(wrong).doesNotContain(fine);
        assertThat(wrong).allSatisfy(text -> assertThat(both(text)).doesNotContain("0"));
    }

    private static String both(String text) {
        LocatedJson at = Json.parse(text, "t");
        JsonSchemaCheck schema =
                new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifact.of(ComparisonDocument.class))));
        int ours = ArtifactCheck.problems(JsonArtifact.of(ComparisonDocument.class), at)
                .size();
        return Math.min(ours, 1) + " " + Math.min(schema.problems(at).size(), 1);
    }

    private static JsonValue comparison() {
        String sha = "0".repeat(64);
        String side = "{\"hardware\":null,\"label\":\"l\",\"model\":\"m\",\"requests\":1,\"run_id\":\"r\","
                + "\"run_type\":\"t\",\"sha256\":\"" + sha + "\",\"token_times\":true}";
        return Json.parse(
                        """
                        {"schema_version": 2, "quantile_method": "m", "interval_level": 0.95, "bootstrap_seed": 7,
                         "real": %1$s, "sim": %1$s,
                         "alignment": {"compared": 1, "warm_up_excluded": 0, "cancelled": 0, "failed_real": 0, "failed_sim": 0,
                            "requests_cut": 0, "sim_tokens_cut": 0},
                         "verdict": {"holds": true, "limits": "user", "checks": []},
                         "metrics": [{"metric": "ttft", "definition": "", "n_real": 3, "n_sim": 3,
                            "statistics": [{"statistic": "mean", "real_ns": 1, "sim_ns": null, "difference_ns": null,
                               "difference_percent": null, "reliable": true, "real_interval_ns": [1.5, null],
                               "sim_interval_ns": null, "difference_interval_percent": null}],
                            "kolmogorov_smirnov": 0.5, "wasserstein1_ns": 2, "wasserstein1_percent": null,
                            "bootstrap_resamples": 0}],
                         "published": [], "throughput": [],
                         "diagnosis": [{"id": "i", "kind": "k", "title": "t", "evidence": ["e"], "advice": "a"}]}
                        """
                                .formatted(side),
                        "t")
                .value();
    }

    @Test
    void rejectsAnArtifactThatDiffersFromItsDeclaration() {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/measurement.json");
        assertThatThrownBy(() -> Json.write(file, JsonArtifact.of(MeasurementDocument.class), JsonValue.EMPTY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("member 'format' is missing");
        assertThat(Files.exists(file)).isFalse();
    }

    @Test
    void rejectsMissingUnknownAndInvalidMembers() {
        JsonSchemaCheck check = new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifacts.RUN_META)));
        int members = JsonArtifacts.RUN_META.fields().size();
        assertThat(check.problems(Json.parse("{}", "t"))).hasSize(members);
        assertThat(check.problems(Json.parse("{\"other\": 1, \"schema_version\": 9}", "t")))
                .hasSize(members + 1)
                .extracting(problem -> problem.where())
                .contains("t#/schema_version");
    }
}
