package dev.stagesim.verify.hydra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.VerifyReport;
import dev.stagesim.verify.registry.SuiteRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterpCasesTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));

    @Test
    void reproducesCommittedCases() throws IOException {
        replay(HOME.resolve("tests-data/hydra/interp"));
    }

    @Test
    void reproducesTheCorpus() throws IOException {
        Path corpus = Corpora.beside("hydra/interp");

        replay(corpus);
    }

    @Test
    void reportsADifferentValueAndADifferentError() throws IOException {
        InterpCases cases = InterpCases.open(HOME.resolve("tests-data/hydra/interp"));

        assertThat(cases.run(recorded(
                                "{\"expr\":\"${a}\",\"at\":\"v\",\"ok\":true,\"value\":{\"t\":\"int\",\"v\":\"2\"}}"))
                        .why())
                .contains("expected int 2, got int 1");
        assertThat(cases.run(recorded("{\"expr\":\"${a}\",\"at\":\"v\",\"ok\":false,\"error\":{\"class\":\"X\"}}"))
                        .why())
                .contains("no error, but int 1");
        assertThat(cases.run(recorded("{\"expr\":\"${nope}\",\"at\":\"v\",\"ok\":false,\"error\":{\"class\":\"X\"}}"))
                        .why())
                .contains("expected X, got InterpolationKeyError: key 'nope' not found");
    }

    @Test
    void belongsToTheSuite() throws IOException {
        VerifyReport report = new SuiteRegistry().run("hydra", HOME.resolve("tests-data/hydra"));

        assertThat(report.results().stream().filter(result -> result.part().equals("interp")))
                .hasSizeGreaterThan(300)
                .allMatch(CaseResult::isPassed);
    }

    @Test
    void deviatesByRuleForTypedMapKeys() throws IOException {
        InterpCases cases = InterpCases.open(HOME.resolve("tests-data/hydra/interp"));
        LocatedJson recorded = recorded("{\"expr\":\"${oc.create:{1:x}}\",\"at\":\"v\",\"ok\":true,\"value\":"
                + "{\"t\":\"dict\",\"v\":[[{\"t\":\"int\",\"v\":\"1\"},{\"t\":\"str\",\"v\":\"x\"}]]}}");

        assertThat(cases.run(recorded).rule()).contains(InterpCases.TEXT_KEYS);
    }

    private static LocatedJson recorded(String text) {
        return Json.parse(text, "test");
    }

    private static void replay(Path folder) throws IOException {
        InterpCases cases = InterpCases.open(folder);
        List<String> failures = new ArrayList<>();
        List<LocatedJson> all = Json.readAll(folder.resolve("cases.jsonl"), JsonMode.STRICT);
        for (LocatedJson recorded : all) {
            cases.run(recorded)
                    .why()
                    .ifPresent(why -> failures.add(recorded.get("id").asString() + " "
                            + Json.compact(recorded.get("expr").value()) + ": " + why));
        }
        assertThat(all).isNotEmpty();
        assertThat(failures).isEmpty();
    }
}
