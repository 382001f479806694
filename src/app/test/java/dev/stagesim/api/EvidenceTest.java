package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated runs state the published errors of their engine, device and kind of model, as {@code stage support} does. */
final class EvidenceTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    @TempDir
    private Path work;

    private Run run(String command) {
        String[] words = (command + " requests=4 prompt_tokens=64 output_tokens=4").split(" ", 2);
        return Stagesim.open(HOME, work).run(words[0], words[1].split(" "));
    }

    private static Optional<String> evidence(Run run) throws IOException {
        return Json.readDocument(run.dir(), RunConditions.class).orElseThrow().evidence();
    }

    /** The row of the page has the quoted error and number of rows. */
    @ParameterizedTest
    @ValueSource(strings = {"vidur_sim", "cluster_sim"})
    void quotesThePublishedErrors(String stage) throws IOException {
        Run run = run(stage + " model=llama3_70b hardware=h100 tp=4");
        String text = evidence(run).orElseThrow();
        String[] row = Files.readAllLines(HOME.resolve("specs/fidelity.md")).stream()
                .dropWhile(line -> !line.startsWith("## By engine, device"))
                .filter(line -> line.startsWith("| vllm_v1 | H100-SXM-80GB | dense 15 to 100 B | token time |"))
                .findFirst()
                .orElseThrow()
                .split(" *\\| *", -1);
        assertThat(text)
                .startsWith("median published error of TPOT " + Math.round(Double.parseDouble(row[6])) + " % (" + row[5]
                        + " rows), TTFT ")
                .contains("; dense 15 to 100 B under vllm_v1 on H100-SXM-80GB")
                .matches(all -> all.endsWith("were not compared") == stage.equals("cluster_sim"));
        assertThat(Files.readString(run.dir().resolve("summary.md"))).contains("Evidence: " + text + ".");
        assertThat(Files.readString(run.dir().resolve("report.html"))).contains("Evidence:");
    }

    /** The page has a dot in the name of this engine, and no token times of it. */
    @Test
    void findsAnEngineWithADotInItsName() throws IOException {
        assertThat(evidence(run("vidur_sim model=llama3_8b hardware=h100 engine=llama_cpp"))
                        .orElseThrow())
                .startsWith("median published error of E2E ")
                .endsWith(" rows); dense up to 15 B under llama_cpp on H100-SXM-80GB");
    }

    /** Without measurements of the same kind, the nearest group is quoted. */
    @ParameterizedTest
    @CsvSource({
        "model=llama3_8b hardware=l4, dense up to 15 B under vllm_v1 on L4",
        "model=llama3_70b hardware=h100 tp=4 pp=2, under vllm_v1 on H100-SXM-80GB with pipeline stages",
        "model=llama3_8b hardware=h100 engine=sglang, dense up to 15 B under sglang on H100-SXM-80GB"
    })
    void namesTheNearestGroup(String words, String where) throws IOException {
        assertThat(evidence(run("vidur_sim " + words)).orElseThrow())
                .startsWith("no published measurements of ")
                .contains(where + "; nearest: median published error of TPOT ");
    }

    @Test
    void doesNotClaimErrorsForABundle() throws IOException {
        assertThat(evidence(run("vidur_sim predictor=interpolation")))
                .contains("no published measurements of step times from a bundle or tables");
    }

    /** Errors of an engine do not apply to another policy, or to operators without an engine. */
    @ParameterizedTest
    @ValueSource(strings = {"scheduler=sarathi", "engine=none", "scheduler=trtllm"})
    void claimsNothingWithoutTheEngine(String choice) throws IOException {
        Run run = run("vidur_sim model=llama3_8b hardware=h100 " + choice);
        assertThat(evidence(run)).isEmpty();
        assertThat(Files.readString(run.dir().resolve("conditions.json"))).doesNotContain("evidence");
    }
}
