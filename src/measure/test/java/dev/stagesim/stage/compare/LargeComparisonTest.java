package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.ChildJava;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares token tables of eight million rows per side in 512 MiB. */
@Tag("long")
class LargeComparisonTest {
    private static final long GAPS = LargeComparison.REQUESTS * (LargeComparison.TOKENS - 1L);

    @TempDir
    private Path work;

    @Test
    void comparesMillionsOfTokensInLittleMemory() throws IOException, InterruptedException {
        Path real = LargeComparison.write(work.resolve("real"), 10_000);
        Path sim = LargeComparison.write(work.resolve("sim"), 11_000);
        List<String> command = ChildJava.command(LargeComparison.class, "-Xmx512m");
        command.addAll(
                List.of(real.toString(), sim.toString(), work.resolve("out").toString()));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
        LocatedJson json = Json.read(work.resolve("out").resolve("comparison.json"));
        assertThat(json.get("alignment").get("compared").asLong()).isEqualTo(LargeComparison.REQUESTS);
        LocatedJson gaps = json.get("metrics").items().get(2);
        assertThat(gaps.get("metric").asString()).isEqualTo("token_gap");
        assertThat(gaps.get("n_real").asLong()).isEqualTo((GAPS + 1) / 2).isGreaterThan(3_900_000);
        // Every gap of one side is 1000 ns longer, so the distance of the distributions is 1000 ns.
        assertThat(gaps.get("wasserstein1_ns").asDouble()).isCloseTo(1000, within(1.0));
        assertThat(json.get("diagnosis").items())
                .extracting(f -> f.get("id").asString())
                .contains("thinned");
    }
}
