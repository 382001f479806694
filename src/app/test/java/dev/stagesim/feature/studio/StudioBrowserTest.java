package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the studio in a real browser if one is installed. */
@Tag("acceptance")
final class StudioBrowserTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final String HOSTILE = "<img src=x onerror=\"window.hacked=1\">";

    @TempDir
    Path work;

    private WebApplication.Running studio;
    private Browser browser;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(!Browser.program().isEmpty(), "no Chromium");
        StudioRuns.write(
                work, "vidur_sim", "vidur_sim-a", "arrival.qps=2", Map.of("ttft_p99_ms", 3.5, "restarts", 0.0));
        StudioRuns.write(
                work, "vidur_sim", "vidur_sim-b", "arrival.qps=4", Map.of("ttft_p99_ms", 9.0, "restarts", 1.0));
        StudioRuns.write(work, "plan", "plan-c", HOSTILE, Map.of(HOSTILE, 1.0));
        Path report = work.resolve("tmp/vidur_sim/vidur_sim-a/report.html");
        Files.writeString(
                report,
                "<!DOCTYPE html><title>r</title><p id=r>report</p><script>"
                        + "try { window.parent.hacked = 1; } catch (e) { document.title = 'kept out'; }"
                        + "fetch('/api/runs').then(function () { document.title = 'let in'; }, function () {});</script>");
        Files.writeString(
                Files.createDirectories(work.resolve("tmp/sweeps/sweep-1")).resolve("jobs.csv"),
                """
                job,status,run_id,overrides,error
                0,done,vidur_sim-a,arrival.qps=2,
                1,done,vidur_sim-b,arrival.qps=4,
                """);
        studio = new StudioApplication()
                .open(
                        new WebApplication.Setting(work, work, 0, false),
                        words -> words.contains("--dry-run")
                                ? new Answer(
                                        String.join(" ", words).matches(".*(qps|rate)=-1.*") ? 2 : 0,
                                        "",
                                        String.join(" ", words))
                                : new Answer(0, "[{\"request_id\": \"" + HOSTILE.replace("\"", "\\\"") + "\"}]", ""));
        browser = new Browser(work);
    }

    @AfterEach
    void close() throws Exception {
        if (browser != null) {
            browser.close();
        }
        if (studio != null) {
            studio.close();
        }
    }

    private void at(String hash) throws InterruptedException {
        browser.open(studio.address() + "#/" + hash);
    }

    private String rows() {
        return "Array.from(document.querySelectorAll('.runs tbody tr')).map(r => r.dataset.run).join(' ')";
    }

    @Test
    void filtersSortsSelectsAndComparesWithTheKeyboard() throws Exception {
        at("runs");
        browser.expect("document.getElementById('count') && document.getElementById('count').textContent", "3 runs");
        browser.press("/");
        browser.type("stage=vidur_sim");
        browser.expect(rows() + ".split(' ').length", "2");
        browser.press("Escape");
        browser.see("document.querySelectorAll('thead button')[5].click()");
        browser.expect(
                "document.querySelectorAll('th[aria-sort=ascending]').length + ' ' + " + rows(),
                "1 vidur_sim/vidur_sim-a vidur_sim/vidur_sim-b");
        browser.press("j", "x", "j", "x");
        browser.expect("document.getElementById('nav-compare').textContent", "Compare (2)");
        browser.press("c");
        browser.expect("document.querySelectorAll('main .plot').length", "2");
        assertThat(browser.see("document.querySelectorAll('main .plot path').length"))
                .isEqualTo("2");
        assertThat(browser.see("document.querySelectorAll('main .plot circle').length"))
                .isEqualTo("6");
        assertThat(browser.see("document.querySelector('main').textContent")).contains("restarts", "+157.1 %");
        browser.press("g");
        browser.expect("location.hash", "#/runs");
        browser.press("?");
        browser.expect("document.getElementById('help').open", "true");
    }

    @Test
    void showsARunWithItsTableAndSavesANote() throws Exception {
        at("run/vidur_sim/vidur_sim-a");
        browser.expect(
                "document.querySelector('main h1') && document.querySelector('main h1').textContent",
                "Serving simulation of Meta-Llama-3-8B on H100-SXM-80GB");
        assertThat(browser.see("document.querySelector('.cards').textContent")).contains("TTFT P99 (ms)", "3.5");
        assertThat(browser.see("document.querySelector('main iframe').getBoundingClientRect().top < innerHeight"))
                .isEqualTo("true");
        browser.see("document.querySelector('td button').click()");
        browser.expect("document.querySelectorAll('td.num, td').length > 8", "true");
        browser.see("document.querySelector('form input').value = 'best'");
        browser.see("document.querySelector('form button').click()");
        browser.expect("document.getElementById('status').textContent", "Kept.");
        assertThat(new Notes(work).of("vidur_sim/vidur_sim-a").tags()).containsExactly("best");
    }

    @Test
    void showsTheSelectedTimeInTheTimeline() throws Exception {
        Path dir = StudioRuns.write(work, "vidur_sim", "vidur_sim-t", "arrival.qps=3", Map.of("restarts", 0.0));
        Path meta = dir.resolve("run_meta.json");
        String trace = "{\"path\": \"trace.json\", \"rows\": null, \"sha256\": \"" + "0".repeat(64) + "\"}, ";
        Files.writeString(meta, Files.readString(meta).replace("\"outputs\": [", "\"outputs\": [" + trace));
        StringBuilder events = new StringBuilder("{\"traceEvents\":["
                + "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"replica 0\"}},"
                + "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":4,\"args\":{\"name\":\"stage 4\"}}");
        for (int i = 0; i < 5000; i++) {
            events.append(",{\"ph\":\"X\",\"name\":\"batch ").append(i).append("\",\"pid\":1,\"tid\":4,\"ts\":");
            events.append(7000 + i * 1000)
                    .append(",\"dur\":")
                    .append(i < 4 ? 900 : 500)
                    .append('}');
        }
        Files.writeString(dir.resolve("trace.json"), events.append("]}"));
        at("run/vidur_sim/vidur_sim-t");
        browser.expect("document.querySelectorAll('main details').length > 1", "true");
        browser.see("Array.from(document.querySelectorAll('summary')).find(s => s.textContent === 'Timeline').click()");
        String readout = "(document.querySelector('.readout[role=status]') || {}).textContent";
        browser.expect(readout, "0 ms to 4,999.5 ms: 5000 of 5000 spans, the 4000 longest are drawn.");
        assertThat(browser.see("document.querySelector('.timeline text').textContent"))
                .isEqualTo("replica 0 / stage 4replica 0 / stage 4");
        for (int i = 0; i < 8; i++) {
            key("+");
        }
        key("0");
        browser.expect(readout, "0 ms to 4,999.5 ms: 5000 of 5000 spans, the 4000 longest are drawn.");
        for (int i = 0; i < 20; i++) {
            key("ArrowLeft");
        }
        browser.see("document.querySelector('.timeline').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}))");
        browser.expect(readout, "1,249.9 ms to 3,749.6 ms: 2500 of 5000 spans.");
        key("ArrowRight");
        browser.expect(readout, "1,874.8 ms to 4,374.6 ms: 2500 of 5000 spans.");
        assertThat(browser.see("document.querySelectorAll('.timeline rect').length"))
                .isEqualTo("2500");
    }

    private void key(String key) throws InterruptedException {
        browser.see("document.querySelector('.timeline').dispatchEvent(new KeyboardEvent('keydown', {key: '" + key
                + "'}))");
    }

    @Test
    void escapesTextOfRunsAndIsolatesReports() throws Exception {
        at("runs");
        browser.expect("document.getElementById('count') && document.getElementById('count').textContent", "3 runs");
        assertThat(browser.see("document.querySelector('.runs').textContent")).contains(HOSTILE);
        at("run/plan/plan-c");
        browser.expect("document.querySelectorAll('.warn').length", "1");
        browser.see("Array.from(document.querySelectorAll('td button')).pop().click()");
        browser.expect("document.querySelector('main').textContent.includes('rows 1 to 1')", "true");
        assertThat(browser.see("document.querySelectorAll('main img, main script').length"))
                .isEqualTo("0");
        assertThat(browser.see("window.hacked")).isEqualTo("undefined");
        at("run/vidur_sim/vidur_sim-a");
        browser.expectFrame(studio.address()
                .resolve("/files/vidur_sim/vidur_sim-a/report.html")
                .toString());
        browser.open(studio.address()
                .resolve("/files/vidur_sim/vidur_sim-a/report.html")
                .toString());
        browser.expect("document.getElementById('r') && document.getElementById('r').textContent", "report");
        assertThat(browser.see("document.title")).isNotEqualTo("let in");
        assertThat(browser.see("fetch('/api/runs').then(() => 'let in', () => 'refused')"))
                .isEqualTo("refused");
        assertThat(browser.see("window.origin")).isEqualTo("null");
    }

    @Test
    void showsImportantKeysAndChartsOfASweep() throws Exception {
        at("sweeps");
        browser.expect("document.querySelectorAll('main tbody tr').length", "1");
        browser.see("document.querySelector('main tbody a').click()");
        browser.expect("document.querySelectorAll('main td').length", "2");
        assertThat(browser.see("document.querySelector('main table').textContent"))
                .contains("arrival.qps", "100 %");
        browser.expectFrame(studio.address().resolve("/sweep/sweep-1").toString());
    }

    @Test
    void showsTheConfigurationOfTheForm() throws Exception {
        at("new/vidur_sim?word=arrival.qps=3");
        browser.expect("document.querySelectorAll('main pre').length", "2");
        assertThat(browser.see("document.querySelector('main pre').textContent"))
                .isEqualTo("./stage vidur_sim arrival.qps=3");
        browser.expect("document.querySelectorAll('details[open]').length", "1");
        String field = "document.querySelector('[aria-describedby=\"about-arrival.qps\"]')";
        assertThat(browser.see(field + ".value")).isEqualTo("3");
        browser.see(field + ".select(), " + field + ".focus()");
        browser.type("-1");
        browser.expect("document.querySelectorAll('main pre.error').length", "1");
        assertThat(browser.see("document.querySelector('button.main').disabled"))
                .isEqualTo("true");
        assertThat(browser.see("location.hash")).contains("arrival.qps%3D-1");
        at("jobs");
        browser.expect(
                "document.querySelector('main p') && document.querySelector('main p').textContent",
                "Nothing was started from this page yet.");
    }

    @Test
    void asksAQuestionWithFewKeys() throws Exception {
        at("new");
        browser.expect("document.querySelectorAll('.questions a').length", "5");
        browser.see("document.querySelector('.questions a').click()");
        String command = "(document.querySelector('main pre') || {}).textContent";
        browser.expect(
                command,
                "./stage vidur_sim model=llama3_3_70b hardware=h100 engine=vllm tp=4 prompt_tokens=1000"
                        + " output_tokens=300 rate=4 requests=300 max_model_len=16384");
        assertThat(browser.see("document.querySelector('main .readout').textContent"))
                .isEqualTo("Valid.");
        browser.see("Array.from(document.querySelectorAll('main button')).find(b => b.textContent === 'Retrieval')"
                + ".click()");
        browser.expect(command + ".includes('prompt_tokens=6000 output_tokens=500')", "true");
        browser.see("document.querySelector('[aria-describedby=about-rate]').focus()");
        browser.type("4,8");
        browser.expect("document.querySelector('button.main').textContent", "Start the sweep");
        assertThat(browser.see(command)).startsWith("./stage vidur_sim -m ");
        assertThat(browser.see("Array.from(document.querySelectorAll('main a')).pop().getAttribute('href')"))
                .startsWith("#/new/vidur_sim?word=model%3Dllama3_3_70b");
        at("ask/speed?word=cluster.tensor_parallel_size%3D2&word=arrival.qps%3D-1");
        browser.expect("document.querySelectorAll('main pre.error').length", "1");
        assertThat(browser.see("document.querySelector('[aria-describedby=about-tp]').value"))
                .isEqualTo("2");
    }

    @Test
    void showsTheColumnsOfTheUserAndHidesIntermediateRuns() throws Exception {
        Path meta = StudioRuns.write(work, "workload", "workload-w", "arrival.qps=2", Map.of("qps", 2.0))
                .resolve("run_meta.json");
        Files.writeString(meta, Files.readString(meta).replace("\"name\": null", "\"name\": \"vidur_sim\""));
        at("runs");
        browser.expect("document.getElementById('count') && document.getElementById('count').textContent", "3 runs");
        browser.expect("document.getElementById('all').labels[0].textContent.includes('(1)')", "true");
        browser.see("document.querySelector('.columns input[value=workload]').click()");
        browser.see("document.querySelector('.columns input[value=overrides]').click()");
        String heads = "Array.from(document.querySelectorAll('thead button')).map(b => b.textContent).join()";
        browser.expect(heads, "result,model,hardware,engine,TTFT P99 (ms),restarts," + HOSTILE + ",ended,overrides");
        at("jobs");
        at("runs");
        browser.expect(heads + ".endsWith('ended,overrides')", "true");
        browser.see("document.getElementById('all').click()");
        browser.expect("document.getElementById('count').textContent", "4 runs");
        assertThat(browser.see("document.querySelector('.runs').textContent")).contains("Workload (intermediate)");
    }

    @Test
    void showsMetricsOfASlider() throws Exception {
        try (WebApplication.Running real = new StudioApplication()
                .open(new WebApplication.Setting(HOME, work, 0, false), words -> new Answer(0, "", ""))) {
            String words = "?word=model%3Dllama3_8b&word=hardware%3Dh100&word=engine%3Dvllm_v1&word=arrival.qps%3D8";
            browser.open(real.address() + "#/new/vidur_sim" + words);
            browser.expect("document.querySelectorAll('input[type=range]').length", "1");
            browser.see("(function () { const r = document.querySelector('input[type=range]'); r.value = 80;"
                    + " r.dispatchEvent(new Event('input')); }())");
            String changes = "Array.from(document.querySelectorAll('main table tr td:last-child'))"
                    + ".filter(c => /[+−][0-9.]+ %/.test(c.textContent)).length > 3";
            browser.expect(changes, "true");
            assertThat(browser.see("document.querySelector('[aria-describedby=\"about-arrival.qps\"]').value"))
                    .isEqualTo("27.9");
            browser.see("Array.from(document.querySelectorAll('button'))"
                    + ".find(b => b.textContent === 'Compare with this').click()");
            browser.expect(changes, "false");
        }
    }

    /** A moved slider shows an estimate first, and the simulated values after the slider stops. */
    @Test
    void showsAnEstimateOfAPlanFirst() throws Exception {
        try (WebApplication.Running real = new StudioApplication()
                .open(new WebApplication.Setting(HOME, work, 0, false), words -> new Answer(0, "", ""))) {
            String took =
                    "document.querySelector('section [role=status]').textContent.replace(/[0-9.]+ m?s\\b/, 'N ms')";
            String cost = "Array.from(document.querySelectorAll('main section tr'))"
                    + ".find(r => r.textContent.startsWith('USD per million')).lastChild.textContent";
            browser.open(real.address()
                    + "#/new/plan?word=load%3D20&word=requests%3D200&word=search.max_num_seqs%3D%5B256%5D");
            browser.expect("document.querySelectorAll('input[type=range]').length", "1");
            browser.expect(took, "Simulated in N ms.");
            browser.see("(function () { window.messages = []; new MutationObserver(() => window.messages.push(" + took
                    + ")).observe(document.querySelector('section [role=status]'), { childList: true });"
                    + " const r = document.querySelector('input[type=range]'); r.value = 100;"
                    + " r.dispatchEvent(new Event('input')); }())");
            browser.expect(cost + ".startsWith('−')", "true");
            browser.expect(took, "Simulated in N ms.");
            assertThat(browser.see("window.messages[0]"))
                    .isEqualTo("Estimated from the steady state, without simulation, in N ms; the whole"
                            + " simulation follows.");
            assertThat(browser.see(cost)).startsWith("−");
            assertThat(browser.see("document.querySelector('[aria-describedby=\"about-load\"]').value"))
                    .isEqualTo("160");
        }
    }

    @Test
    void fitsEveryViewOnAPhoneInLightAndDark() throws Exception {
        browser.width(390);
        for (String scheme : new String[] {"light", "dark"}) {
            browser.prefer(scheme);
            for (String view : new String[] {
                "runs",
                "run/vidur_sim/vidur_sim-a",
                "run/plan/plan-c",
                "compare?run=vidur_sim/vidur_sim-a&run=vidur_sim/vidur_sim-b",
                "new",
                "new/vidur_sim",
                "ask/speed",
                "ask/fits",
                "sweep/sweep-1"
            }) {
                at(view);
                browser.expect(
                        "document.querySelectorAll('main table, .keys, .questions, main progress').length > 0", "true");
                assertThat(browser.see(
                                "document.documentElement.scrollWidth" + " - document.documentElement.clientWidth"))
                        .as(view)
                        .isEqualTo("0");
                assertThat(browser.see("Array.from(document.querySelectorAll('input, select, textarea')).filter(e =>"
                                + " !e.labels.length && !e.getAttribute('aria-label')).length"))
                        .as("fields without a name in " + view)
                        .isEqualTo("0");
            }
            assertThat(browser.see("getComputedStyle(document.body).backgroundColor"))
                    .isEqualTo(scheme.equals("dark") ? "rgb(20, 24, 29)" : "rgb(255, 255, 255)");
        }
    }
}
