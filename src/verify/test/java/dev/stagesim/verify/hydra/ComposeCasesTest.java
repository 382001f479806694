package dev.stagesim.verify.hydra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComposeCasesTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));

    @TempDir
    private Path scratch;

    @Test
    void reproducesCommittedCases() throws IOException {
        replay(HOME.resolve("tests-data/hydra/compose"));
    }

    @Test
    void distinguishesDifferences() throws IOException {
        try (ComposeCases cases = ComposeCases.open(HOME.resolve("tests-data/hydra/compose"), scratch)) {
            assertThat(cases.run(Json.parse(
                                    """
                                    {"tree":"merge_semantics","config_name":"da","overrides":[],"ok":true,
                                     "config":{"v":{"x":2},"other":{"q":5}},"resolved":"same","defaults":[],
                                     "defaults_tree":{},"choices":{}}""",
                                    "test"))
                            .why())
                    .get()
                    .asString()
                    .contains(
                            "config: expected", "defaults: expected", "defaults_tree: expected", "resolved: expected");
            assertThat(cases.run(Json.parse(
                                    """
                                    {"tree":"merge_semantics","config_name":"da","overrides":["v.x=1"],"ok":false,
                                     "error":{"class":"X","message":"Could not override 'v.x'."}}""",
                                    "test"))
                            .why())
                    .get()
                    .asString()
                    .startsWith("no error");
            assertThat(cases.run(Json.parse(
                                    """
                                    {"tree":"optional","config_name":"req","overrides":[],"ok":false,"error":{"class":"X",
                                     "message":"Could not find 'db/nope'","available_options":["other"]}}""",
                                    "test"))
                            .why())
                    .contains("available_options: expected [other], got [mysql]");
            assertThat(cases.run(Json.parse(
                                    """
                                    {"tree":"optional","config_name":"req","overrides":[],"ok":false,"error":{"class":"X",
                                     "message":"Multiple values for db"}}""",
                                    "test"))
                            .why())
                    .get()
                    .asString()
                    .startsWith("expected X: Multiple values");
        }
    }

    private InterpCases.Outcome outcome(String tree, String config, String overrides, String answer)
            throws IOException {
        try (ComposeCases cases = ComposeCases.open(HOME.resolve("tests-data/hydra/compose"), scratch)) {
            return cases.run(Json.parse(
                    "{\"tree\":\"%s\",\"config_name\":\"%s\",\"overrides\":%s,%s}"
                            .formatted(tree, config, overrides, answer),
                    "test"));
        }
    }

    @Test
    void comparesTheCauseOfAFailedMerge() throws IOException {
        String answer =
                """
                "ok":false,"error":{"class":"ConfigCompositionException","message":"Error merging override v=[1]",
                 "causes":[{"class":"%s","message":"%s"}]}""";
        assertThat(outcome(
                        "merge_semantics",
                        "da",
                        "[\"v=[1]\"]",
                        answer.formatted("ConfigTypeError", "Cannot merge DictConfig with ListConfig")))
                .isEqualTo(InterpCases.Outcome.PASSED);
        assertThat(outcome(
                                "merge_semantics",
                                "da",
                                "[\"v=[1]\"]",
                                answer.formatted("ConfigIndexError", "list index out of range"))
                        .why())
                .isPresent();
    }

    @Test
    void comparesTheKindOfAFailedInterpolation() throws IOException {
        String answer =
                """
                "ok":true,"config":{},"defaults":[],"defaults_tree":{},"choices":{},
                 "resolve_error":{"class":"InterpolationResolutionError","message":"x\\n full_key: q\\n"}""";
        assertThat(outcome("merge_semantics", "da", "[\"+q='${nope}'\"]", answer)
                        .why())
                .get()
                .asString()
                .contains("resolve_error: expected InterpolationResolutionError, got InterpolationKeyError");
    }

    @Test
    void appliesARuleOnlyIfTheSourceRequiresIt() throws IOException {
        String answer =
                """
                "ok":false,"error":{"class":"ConstructorError","message":"found duplicate key"}""";
        assertThat(outcome("yaml_scalars", "dup", "[]", answer).rule()).contains(ComposeRules.NO_YAML_TEXT);
        assertThat(outcome("yaml_scalars", "absent", "[]", answer).why()).isPresent();
        assertThat(outcome("yaml_scalars", "config", "[]", answer).why()).isPresent();
    }

    @Test
    void reproducesTheCorpus() throws IOException {
        Path corpus = Corpora.beside("hydra/compose");

        replay(corpus);
    }

    private void replay(Path folder) throws IOException {
        List<String> failures = new ArrayList<>();
        List<LocatedJson> all = Json.readAll(folder.resolve("cases.jsonl"), JsonMode.STRICT);
        try (ComposeCases cases = ComposeCases.open(folder, scratch)) {
            for (LocatedJson recorded : all) {
                cases.run(recorded)
                        .why()
                        .ifPresent(why -> failures.add(recorded.get("id").asString() + " "
                                + recorded.get("tree").asString() + " "
                                + Json.compact(recorded.get("config_name").value())
                                + Json.compact(recorded.get("overrides").value()) + ": " + why));
            }
        }
        assertThat(all).isNotEmpty();
        assertThat(failures).isEmpty();
    }
}
