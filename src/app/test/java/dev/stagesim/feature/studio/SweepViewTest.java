package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SweepViewTest {
    private final Path work = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final RunIndex index = new RunIndex(work);
    private final SweepView view = new SweepView(work, new RunFiles(work), index);

    @BeforeEach
    void sweep() throws IOException {
        Path dir = Files.createDirectories(work.resolve("tmp/sweeps/sweep-1"));
        Files.writeString(
                dir.resolve("jobs.csv"),
                """
                job,status,run_id,overrides,error
                0,done,vidur_sim-a,model=m scheduler=vllm arrival.qps=1,
                1,done,vidur_sim-b,model=m scheduler=vllm arrival.qps=2,
                2,done,vidur_sim-c,model=m scheduler=<b>orca</b> arrival.qps=1,
                3,pending,,model=m scheduler=<b>orca</b> arrival.qps=2,
                """);
        Files.createDirectories(work.resolve("tmp/sweeps/.hidden"));
        StudioRuns.write(work, "vidur_sim", "vidur_sim-a", "x=1", Map.of("ttft_p99_ms", 10.0));
        StudioRuns.write(work, "vidur_sim", "vidur_sim-b", "x=1", Map.of("ttft_p99_ms", 20.0));
        StudioRuns.write(work, "vidur_sim", "vidur_sim-c", "x=1", Map.of("ttft_p99_ms", 12.0));
        index.refresh();
    }

    private static LocatedJson json(ApiResponse reply) {
        assertThat(reply.status()).isEqualTo(200);
        return Json.parse(new String(reply.body(), StandardCharsets.UTF_8), "reply");
    }

    @Test
    void listsSweepsWithTheirProgress() throws IOException {
        LocatedJson sweep = json(view.list()).items().get(0);
        assertThat(sweep.get("id").asString()).isEqualTo("sweep-1");
        assertThat(sweep.get("counts").get("done").asLong()).isEqualTo(3);
        assertThat(sweep.get("counts").get("pending").asLong()).isEqualTo(1);
        assertThat(json(view.list()).items()).hasSize(1);
    }

    @Test
    void returnsTheVarianceThatEachKeyExplains() throws IOException {
        LocatedJson sweep = json(view.answer("sweep-1"));
        assertThat(sweep.get("open").asBool()).isTrue();
        assertThat(sweep.get("keys").asStrings()).containsExactly("scheduler", "arrival.qps");
        // mean 14, squares 16 + 36 + 4 = 56; by scheduler 2 + 4 = 6, by qps 2 * 9 + 36 = 54
        assertThat(sweep.get("shares").get("ttft_p99_ms").asDoubles())
                .satisfies(shares -> assertThat(shares[0]).isCloseTo(6 / 56.0, within(1e-12)))
                .satisfies(shares -> assertThat(shares[1]).isCloseTo(54 / 56.0, within(1e-12)));
        Assertions.assertThatThrownBy(() -> view.answer("../vidur_sim")).isInstanceOf(NoSuchFileException.class);
        Assertions.assertThatThrownBy(() -> view.answer("none")).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void servesChartsAsASeparatePage() throws IOException {
        ApiResponse page = view.page("sweep-1");
        String html = new String(page.body(), StandardCharsets.UTF_8);
        assertThat(page.policy()).startsWith("sandbox");
        assertThat(html)
                .contains("explore-parallel", "ttft_p99_ms", "&lt;b&gt;orca")
                .doesNotContain("<b>orca");
    }
}
