package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.studio.Http.Got;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.io.IOException;
import java.net.BindException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes of the server, and requests that it rejects. */
final class StudioServerTest {
    private static final String ODD = "vidur_sim-<b>&\"'%2e +ü";

    @TempDir
    Path work;

    private final List<List<String>> commands = new ArrayList<>();
    private volatile String rows = "[{\"request_id\": 1}, {\"request_id\": 2}]";
    private WebApplication.Running studio;
    private Http http;

    @BeforeEach
    void open() throws IOException {
        StudioRuns.write(work, "vidur_sim", "vidur_sim-a", "arrival.qps=2", Map.of("ttft_p99_ms", 3.5));
        StudioRuns.write(work, "vidur_sim", "vidur_sim-b", "arrival.qps=4", Map.of("ttft_p99_ms", 9.0));
        StudioRuns.write(work, "vidur_sim", ODD, "note=<img src=x onerror=alert(1)>", Map.of());
        Files.writeString(work.resolve("secret.txt"), "secret");
        studio = new StudioApplication().open(new WebApplication.Setting(work, work, 0, false), words -> {
            commands.add(words);
            return new Answer(0, rows, "");
        });
        http = Http.of(studio.address());
        long until = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!http.get("/api/runs").body().contains("\"complete\":true") && System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void close() {
        studio.close();
    }

    private static String enc(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private LocatedJson json(String path) throws IOException {
        Got got = http.get(path);
        assertThat(got.status()).as(got.body()).isEqualTo(200);
        return Json.parse(got.body(), path);
    }

    @Test
    void exchangesTheTokenForACookie() throws IOException {
        String host = "Host: 127.0.0.1:" + http.port();
        Got got = http.raw("GET /?token=" + http.token() + " HTTP/1.1", "", host);
        assertThat(got.status()).isEqualTo(303);
        assertThat(got.hasHeader("location: /")).isTrue();
        assertThat(got.head()).contains("httponly", "samesite=strict");
        assertThat(http.raw("GET /?token=wrong HTTP/1.1", "", host).status()).isEqualTo(401);
        assertThat(http.raw("GET / HTTP/1.1", "", host).status()).isEqualTo(401);
        assertThat(http.raw("GET /api/runs HTTP/1.1", "", host, "Cookie: stagesim-" + http.port() + "=no")
                        .status())
                .isEqualTo(401);
        assertThat(http.raw("GET /api/runs?token=" + http.token() + " HTTP/1.1", "", host)
                        .status())
                .isEqualTo(401);
        assertThat(http.get("/").status()).isEqualTo(200);
        assertThat(http.token()).hasSizeGreaterThanOrEqualTo(32);
    }

    @Test
    void rejectsForeignHostsAndOrigins() throws IOException {
        assertThat(http.raw("GET / HTTP/1.1", "", "Host: evil.example:" + http.port(), http.cookie())
                        .status())
                .isEqualTo(421);
        assertThat(http.raw("GET / HTTP/1.1", "", "Host: 127.0.0.1", http.cookie())
                        .status())
                .isEqualTo(421);
        assertThat(http.get("/api/runs", "Origin: http://evil.example").status())
                .isEqualTo(403);
        assertThat(http.get("/api/runs", "Origin: null").status()).isEqualTo(403);
        assertThat(http.get("/api/runs", "Sec-Fetch-Site: cross-site").status()).isEqualTo(403);
        assertThat(http.get("/api/runs", "Sec-Fetch-Site: same-site").status()).isEqualTo(403);
        assertThat(http.get("/api/runs", "Sec-Fetch-Site: same-origin").status())
                .isEqualTo(200);
    }

    @Test
    void rejectsUnknownRoutes() throws IOException {
        assertThat(http.get("/api/nothing").status()).isEqualTo(404);
        assertThat(http.get("/nothing").status()).isEqualTo(404);
        assertThat(http.get("/api/note").status()).isEqualTo(405);
        assertThat(http.post("/api/runs", "{}").status()).isEqualTo(405);
        String host = "Host: 127.0.0.1:" + http.port();
        assertThat(http.raw("DELETE /api/runs HTTP/1.1", "", host, http.cookie())
                        .status())
                .isEqualTo(405);
        assertThat(http.raw("POST /api/note HTTP/1.1", "run=x", host, http.cookie(), "Content-Type: text/plain")
                        .status())
                .isEqualTo(415);
        assertThat(http.post("/api/note", "not JSON").status()).isEqualTo(400);
        assertThat(http.post("/api/note", "{}").status()).isEqualTo(400);
        assertThat(http.post("/api/note", " ".repeat(70_000)).status()).isEqualTo(413);
        assertThat(http.get("/api/runs?q=" + "x".repeat(9000)).status()).isEqualTo(414);
        assertThat(http.get("/api/runs?q=%zz").status()).isEqualTo(400);
    }

    @Test
    void restrictsPagesAndReportsByPolicy() throws IOException {
        Got page = http.get("/");
        assertThat(page.head())
                .contains("default-src 'none'; script-src 'self'")
                .doesNotContain("unsafe-inline");
        assertThat(page.body()).doesNotContain("http://", "https://").doesNotContainPattern("<script>|style=");
        assertThat(http.get("/studio.js").hasHeader("content-type: text/javascript"))
                .isTrue();
        assertThat(http.get("/studio.css").hasHeader("content-type: text/css")).isTrue();
        Got report = http.get("/files/vidur_sim/vidur_sim-a/report.html");
        assertThat(report.status()).isEqualTo(200);
        assertThat(report.head())
                .contains("content-security-policy: sandbox allow-scripts;")
                .contains("nosniff");
        assertThat(http.get("/files/vidur_sim/vidur_sim-a/request_metrics.csv").hasHeader("content-type: text/plain"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files/vidur_sim/vidur_sim-a/%2e%2e/%2e%2e/%2e%2e/secret.txt",
                "/files/vidur_sim/vidur_sim-a/..%2f..%2f..%2fsecret.txt",
                "/files/vidur_sim/../../secret.txt",
                "/files/%2e%2e/%2e%2e/secret.txt",
                "/files/..%2f/secret.txt/x",
                "/files/vidur_sim/vidur_sim-a/%2fetc%2fpasswd",
                "/files/vidur_sim/vidur_sim-a//etc/passwd",
                "/files/vidur_sim/vidur_sim-a/..%5csecret.txt",
                "/files/vidur_sim/vidur_sim-a/%00",
                "/files/vidur_sim/vidur_sim-a/link.txt",
                "/files/vidur_sim/vidur_sim-a/",
                "/files/vidur_sim/linked/secret.txt",
                "/files/.studio/x/notes.json"
            })
    void servesNoFilesOutsideOfRuns(String path) throws IOException {
        Files.createSymbolicLink(work.resolve("tmp/vidur_sim/vidur_sim-a/link.txt"), work.resolve("secret.txt"));
        Files.createSymbolicLink(work.resolve("tmp/vidur_sim/linked"), work);
        Got got = http.get(path);
        assertThat(got.status()).isEqualTo(404);
        assertThat(got.body()).doesNotContain("secret\n");
    }

    @Test
    void listsFiltersAndPagesRuns() throws IOException {
        LocatedJson all = json("/api/runs?sort=run");
        assertThat(all.get("total").asLong()).isEqualTo(3);
        assertThat(all.get("columns").asStrings())
                .containsExactly("model", "hardware", "engine", "workload", "ttft_p99_ms", "ended");
        LocatedJson few = json("/api/runs?q=ttft_p99_ms%3E5&column=arrival.qps");
        assertThat(few.get("matched").asLong()).isEqualTo(1);
        LocatedJson row = few.get("rows").items().get(0);
        assertThat(row.get("id").asString()).isEqualTo("vidur_sim-b");
        assertThat(row.get("values").asStrings()).containsExactly("4");
        assertThat(json("/api/runs?sort=run&from=1&count=1").get("rows").items())
                .hasSize(1);
    }

    @Test
    void storesColumns() throws IOException {
        assertThat(http.post("/api/columns", "{\"columns\": [\"engine\", \" \", \"engine\", \"arrival.qps\"]}")
                        .status())
                .isEqualTo(200);
        assertThat(json("/api/runs").get("columns").asStrings()).containsExactly("engine", "arrival.qps");
        assertThat(http.post("/api/columns", "{\"columns\": []}").status()).isEqualTo(200);
        assertThat(json("/api/runs").get("columns").asStrings()).contains("ttft_p99_ms");
    }

    @Test
    void returnsAllDetailsOfARun() throws IOException {
        LocatedJson run = json("/api/run?run=vidur_sim/vidur_sim-a");
        assertThat(run.get("command").asString()).isEqualTo("./stage vidur_sim arrival.qps=2");
        assertThat(run.get("figures").get("ttft_p99_ms").asDouble()).isEqualTo(3.5);
        assertThat(run.get("settings").get("scheduler.kind").asString()).isEqualTo("vllm");
        assertThat(run.get("warnings").asStrings()).containsExactly("vidur_sim: <script>alert(1)</script>");
        assertThat(run.get("outputs").items()).hasSize(2);
        assertThat(http.get("/api/run?run=vidur_sim/none").status()).isEqualTo(404);
        assertThat(http.get("/api/run?run=none").status()).isEqualTo(404);
        assertThat(http.get("/api/run").status()).isEqualTo(404);
    }

    @Test
    void acceptsUnusualNames() throws IOException {
        LocatedJson run = json("/api/run?run=" + enc("vidur_sim/" + ODD));
        assertThat(run.get("run").asString()).isEqualTo("vidur_sim/" + ODD);
        assertThat(run.get("command").asString()).isEqualTo("./stage vidur_sim 'note=<img src=x onerror=alert(1)>'");
        assertThat(http.get("/files/vidur_sim/" + enc(ODD) + "/report.html").status())
                .isEqualTo(200);
    }

    @Test
    void returnsTablesOfTheTableCommand() throws IOException {
        LocatedJson rows = json(
                "/api/table?run=vidur_sim/vidur_sim-a&table=request_metrics&where=ttft_ns%3E1&sort=-ttft_ns&from=1");
        assertThat(commands)
                .containsExactly(List.of(
                        "table",
                        work.resolve("tmp/vidur_sim/vidur_sim-a").toString(),
                        "request_metrics",
                        "--format=json",
                        "--limit=102",
                        "--where=ttft_ns>1",
                        "--sort=-ttft_ns"));
        assertThat(rows.get("columns").asStrings()).contains("ttft_ns");
        assertThat(rows.get("rows").items()).hasSize(1);
        assertThat(http.get("/api/table?run=vidur_sim/vidur_sim-a&table=--help").status())
                .isEqualTo(400);
        assertThat(commands).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"99900, 200000, true, false", "100000, 100101, false, true", "100000, 100100, false, false"})
    void reportsFurtherRowsAfterTheLastPage(int from, int count, boolean more, boolean end) throws IOException {
        rows = "[" + "{\"a\": 1},".repeat(Math.min(count, from + 101) - 1) + "{\"a\": 2}]";
        LocatedJson page = json("/api/table?run=vidur_sim/vidur_sim-a&table=request_metrics&from=" + from);
        assertThat(page.get("rows").items()).hasSize(100);
        assertThat(page.flag("more")).isEqualTo(more);
        assertThat(page.get("end").asString())
                .isEqualTo(end ? "further rows are not shown here: filter, or use stage table" : "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--output=stolen", "-o", "@words"})
    void rejectsATableNamedLikeAFlag(String table) throws IOException {
        Path run = work.resolve("tmp/vidur_sim/vidur_sim-a");
        Files.copy(run.resolve("request_metrics.csv"), run.resolve(table + ".csv"));
        Path meta = run.resolve("run_meta.json");
        Files.writeString(meta, Files.readString(meta).replace("request_metrics.csv", table + ".csv"));
        Got got = http.get("/api/table?run=vidur_sim/vidur_sim-a&table=" + enc(table));
        assertThat(got.status()).isEqualTo(400);
        assertThat(got.body()).contains("not a valid table name");
        assertThat(commands).isEmpty();
    }

    @Test
    void comparesRunsByDifferencesAndDistributions() throws IOException {
        String both = "run=vidur_sim/vidur_sim-a&run=vidur_sim/vidur_sim-b";
        LocatedJson all = json("/api/compare?" + both);
        assertThat(all.get("figures").get("ttft_p99_ms").asDoubles()).containsExactly(3.5, 9.0);
        assertThat(all.get("tables").get("request_metrics").asStrings()).contains("ttft_ns");
        assertThat(all.get("same").asLong()).isEqualTo(3);
        LocatedJson first = json("/api/distribution?" + both + "&table=request_metrics&column=ttft_ns")
                .get("runs")
                .items()
                .get(0);
        assertThat(first.get("p50").asDouble()).isEqualTo(2e6);
        assertThat(first.get("p90").asDouble()).isEqualTo(2.8e6);
        LocatedJson pairs = json("/api/scatter?" + both + "&table=request_metrics&y=ttft_ns&pair=1");
        assertThat(pairs.get("runs").items().get(0).get("points").items().get(1).asDoubles())
                .containsExactly(3e6, 3e6);
        assertThat(http.get("/api/distribution?" + both + "&table=request_metrics&column=none")
                        .status())
                .isEqualTo(400);
        assertThat(http.get("/api/compare").status()).isEqualTo(400);
    }

    @Test
    void storesAndFindsNotes() throws IOException {
        Path run = work.resolve("tmp/vidur_sim/vidur_sim-a");
        String before = Files.readString(run.resolve("run_meta.json"));
        Got kept = http.post(
                "/api/note",
                "{\"run\": \"vidur_sim/vidur_sim-a\", \"tags\": [\"best\", \"best\"], \"text\": \" ok \"}");
        assertThat(kept.status()).as(kept.body()).isEqualTo(200);
        assertThat(json("/api/runs?q=tag%3Dbest").get("matched").asLong()).isEqualTo(1);
        assertThat(new Notes(work).of("vidur_sim/vidur_sim-a").text()).isEqualTo("ok");
        assertThat(Files.readString(run.resolve("run_meta.json"))).isEqualTo(before);
        try (var files = Files.list(run)) {
            assertThat(files).hasSize(3);
        }
        assertThat(http.post("/api/note", "{\"run\": \"vidur_sim/none\", \"tags\": [], \"text\": \"\"}")
                        .status())
                .isEqualTo(404);
        assertThat(http.post(
                                "/api/note",
                                "{\"run\": \"vidur_sim/vidur_sim-a\", \"tags\": [\"two words\"], \"text\": \"\"}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void releasesThePortAfterwards() throws IOException {
        Assertions.assertThatThrownBy(() -> new StudioApplication()
                        .open(
                                new WebApplication.Setting(work, work, http.port(), false),
                                words -> new Answer(0, "", "")))
                .isInstanceOf(BindException.class);
        studio.close();
        Assertions.assertThatThrownBy(() -> http.get("/")).isInstanceOf(IOException.class);
    }

    /**
     * Requests without a token are rejected before their bodies arrive, so any number of them blocks no other client.
     */
    @Test
    @org.junit.jupiter.api.Timeout(60)
    void servesOtherClientsDuringSlowConnectionsWithoutAToken() throws Exception {
        int port = studio.address().getPort();
        List<java.net.Socket> slow = new java.util.ArrayList<>();
        for (int i = 0; i < 40; i++) {
            java.net.Socket socket = new java.net.Socket(java.net.InetAddress.getLoopbackAddress(), port);
            String body = i % 2 == 0
                    ? "GET / HTTP/1.1\r\nHost"
                    : "POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nContent-Length: 1000\r\n\r\n{";
            socket.getOutputStream().write(body.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            slow.add(socket);
        }
        assertThat(Http.of(studio.address()).get("/api/state").status()).isEqualTo(200);
        byte[] answer = new byte[12];
        slow.get(1).setSoTimeout(30_000);
        assertThat(slow.get(1).getInputStream().readNBytes(answer, 0, 12)).isEqualTo(12);
        assertThat(new String(answer, java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("HTTP/1.1 401");
        for (java.net.Socket socket : slow) {
            socket.close();
        }
    }
}
