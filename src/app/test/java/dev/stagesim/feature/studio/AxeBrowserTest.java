package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.api.Run;
import dev.stagesim.api.Stagesim;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages and reports break no rule of axe-core in the light and the dark theme. */
@Tag("acceptance")
final class AxeBrowserTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final String[] SERVICE = {
        "model=llama3_8b", "hardware=h100", "workload.num_requests=60", "arrival.qps=5"
    };

    @TempDir
    Path work;

    @BeforeEach
    void assumeBrowser() {
        assumeTrue(!Browser.program().isEmpty(), "no Chromium");
        Axe.assumeThere();
    }

    private static void assertNone(Browser browser, String address, String ready) throws Exception {
        for (String scheme : List.of("light", "dark")) {
            browser.prefer(scheme);
            browser.open("about:blank");
            browser.open(address);
            browser.expect(ready, "true");
            assertThat(Axe.violations(browser)).as(scheme + " " + address).isEmpty();
        }
    }

    @Test
    void findsNoViolationInPagesOfTheStudio() throws Exception {
        StudioRuns.write(work, "vidur_sim", "vidur_sim-a", "arrival.qps=2", Map.of("ttft_p99_ms", 3.5));
        StudioRuns.write(work, "vidur_sim", "vidur_sim-b", "arrival.qps=4", Map.of("ttft_p99_ms", 9.0));
        try (WebApplication.Running studio = new StudioApplication()
                        .open(new WebApplication.Setting(HOME, work, 0, false), words -> new Answer(0, "[]", ""));
                Browser browser = new Browser(work)) {
            browser.open(studio.address().toString());
            String answered = "document.querySelectorAll('main pre').length > 0";
            Map<String, String> pages = Map.of(
                    "runs", "document.querySelectorAll('.runs tbody tr').length === 2",
                    "run/vidur_sim/vidur_sim-a", "document.querySelectorAll('main table').length > 1",
                    "compare?run=vidur_sim/vidur_sim-a&run=vidur_sim/vidur_sim-b",
                            "document.querySelectorAll('main .plot').length === 2",
                    "sweeps", "document.querySelectorAll('main h1').length === 1",
                    "jobs", "document.querySelectorAll('main h1').length === 1",
                    "new", "document.querySelectorAll('.questions a').length === 5",
                    "ask/speed", answered,
                    "ask/fits", answered,
                    "new/vidur_sim", "document.querySelectorAll('main input').length > 20");
            for (Map.Entry<String, String> page : pages.entrySet()) {
                assertNone(browser, studio.address() + "#/" + page.getKey(), page.getValue());
            }
        }
    }

    @Test
    @Tag("long")
    void findsNoViolationInReports() throws Exception {
        Stagesim stagesim = Stagesim.open(HOME, work);
        Run one = stagesim.run("vidur_sim", SERVICE);
        Run other = stagesim.run("vidur_sim", with("arrival.qps=9"));
        List<Run> runs = List.of(
                one,
                stagesim.run("compare", "real.dir=" + one.dir(), "sim.dir=" + other.dir()),
                stagesim.run("cluster_sim", with("cluster=pd_2_2")),
                stagesim.run("plan", "model=llama3_8b", "hardware=h100", "load=20"),
                stagesim.run("fabric"),
                stagesim.run("astra_sim"),
                stagesim.run("train_plan"));
        try (Browser browser = new Browser(work)) {
            for (Run run : runs) {
                Path report = run.dir().resolve("report.html");
                if (Files.exists(report)) {
                    assertNone(browser, report.toUri().toString(), "document.readyState === 'complete'");
                }
            }
        }
        assertThat(runs).filteredOn(run -> run.files().contains("report.html")).hasSize(7);
    }

    private static String[] with(String... more) {
        String[] all = Arrays.copyOf(SERVICE, SERVICE.length + more.length);
        System.arraycopy(more, 0, all, SERVICE.length, more.length);
        return all;
    }
}
