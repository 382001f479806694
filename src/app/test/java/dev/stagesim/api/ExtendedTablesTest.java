package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs beyond the tables of a bundle. A bundle of computed times must give nearly the times without a bundle. */
final class ExtendedTablesTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    @TempDir
    static Path work;

    private static Stagesim stagesim;
    private static String bundle = "";

    @BeforeAll
    static void profile() {
        stagesim = Stagesim.open(HOME, work);
        bundle = stagesim.run(
                        "vidur_profile",
                        "model=llama3_1_8b",
                        "hardware=h100",
                        "profile.tensor_parallel_sizes=[1,2]",
                        "profile.grid.kv_tokens=[0,64,1024,4096]",
                        "profile.grid.batch_sizes=[1,2,4,8]",
                        "profile.grid.chunks=[64,512,2048]",
                        "profile.grid.tokens=[1,8,64,512,2048]")
                .dir()
                .toString();
    }

    private static Run run(String words, String... more) {
        List<String> all = new ArrayList<>(List.of("model=llama3_1_8b", "hardware=h100", "requests=100", "rate=8"));
        all.addAll(List.of(words.split(" ")));
        all.addAll(List.of(more));
        return stagesim.run("vidur_sim", all.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tp=16",
                "tp=1 pp=16",
                "tp=8 pp=2",
                "tp=2 max_model_len=131072 prompt_tokens=100000 output_tokens=20 requests=4",
                "tp=32 max_model_len=131072 prompt_tokens=30000 output_tokens=200 requests=10"
            })
    void agreesWithComputedTimes(String words) {
        Run extended = run(words, "profiling.root=" + bundle);
        Run computed = run(words);
        for (String figure : List.of("tpot_p50_ms", "ttft_p50_ms", "e2e_p50_ms")) {
            double expected = computed.figures().get(figure);
            assertThat(extended.figures().get(figure)).as(figure).isCloseTo(expected, within(0.04 * expected));
        }
    }

    @Test
    void statesTheExtension() throws Exception {
        Run run = run("tp=4 max_model_len=16384 prompt_tokens=9000 output_tokens=10", "profiling.root=" + bundle);
        assertThat(Json.read(run.dir().resolve("conditions.json"))
                        .get("extrapolated")
                        .items())
                .extracting(item -> item.asString())
                .containsExactly(
                        "tensor parallelism 4 (times of 2, scaled by computed times)",
                        "sequences of up to 9010 tokens (tables end at 4096; extended by computed times)");
        assertThat(Files.readString(run.dir().resolve("summary.md"))).contains("tensor parallelism 4");
        assertThat(run.warnings()).anyMatch(warning -> warning.startsWith("extrapolated: tensor parallelism 4"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tp=3", "tp=64"})
    void rejectsPhysicalLimits(String words) {
        assertThatThrownBy(() -> run(words, "profiling.root=" + bundle))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("does not divide");
    }
}
