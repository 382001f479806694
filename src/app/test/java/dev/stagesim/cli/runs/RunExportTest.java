package dev.stagesim.cli.runs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.RunMeta;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

final class RunExportTest {
    @TempDir
    Path scratch;

    private final List<String> warnings = new ArrayList<>();

    private static final Problem OFF = Problem.of(
                    "check failed", "compare.tolerance.ttft_p50_percent", "TTFT <P50> is off")
            .hint("look there");

    private static RunMeta meta(List<Problem> checks) {
        JsonValue.Obj tolerance = JsonValue.object()
                .put("ttft_p50_percent", 5.0)
                .put("tpot_p50_percent", 2.0)
                .put("e2e_p50_percent", JsonValue.NULL)
                .build();
        JsonValue.Obj params = JsonValue.object()
                .put("compare", JsonValue.object().put("tolerance", tolerance).build())
                .put("note", "x".repeat(900))
                .build();
        return KeyRecord.of(
                RunMeta.class,
                Map.ofEntries(
                        entry("runId", "compare-0123456789"),
                        entry("runType", "compare"),
                        entry("model", Optional.of("a \"quoted\" model")),
                        entry("hardware", Optional.empty()),
                        entry("startedAt", "2026-01-02T03:04:05Z"),
                        entry("endedAt", "2026-01-02T03:04:06.500Z"),
                        entry("gitCommit", "unknown"),
                        entry("gitDirty", Optional.empty()),
                        entry("env", JsonValue.EMPTY),
                        entry("params", params),
                        entry("config", new RunMeta.Config(Optional.empty(), Optional.empty(), List.of("a=1", "b=2"))),
                        entry("inputs", List.of()),
                        entry("outputs", List.of()),
                        entry("warnings", List.of()),
                        entry("headlines", new TreeMap<>(Map.of("ttft_p50_ms", 17.5, "9 odd-name", 1e-7))),
                        entry("checks", checks)));
    }

    @Test
    void writesOneJunitTestPerTolerance() throws Exception {
        Element suite = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(new RunExport(meta(List.of(OFF))).junit())))
                .getDocumentElement();
        assertThat(suite.getAttribute("tests")).isEqualTo("2");
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        assertThat(suite.getElementsByTagName("testcase").getLength()).isEqualTo(2);
        Element failure = (Element) suite.getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("message")).isEqualTo("TTFT <P50> is off");
        assertThat(failure.getTextContent()).contains("look there");
        assertThat(((Element) failure.getParentNode()).getAttribute("name")).isEqualTo(OFF.where());
    }

    @Test
    void writesOneOpenMetricsGaugePerMetric() {
        assertThat(new RunExport(meta(List.of())).openMetrics())
                .isEqualTo(
                        """
                        # TYPE stagesim_9_odd_name gauge
                        stagesim_9_odd_name{model="a \\"quoted\\" model",run="compare-0123456789",stage="compare"} 1.0E-7 1767323046.500
                        # TYPE stagesim_ttft_p50_ms gauge
                        stagesim_ttft_p50_ms{model="a \\"quoted\\" model",run="compare-0123456789",stage="compare"} 17.5 1767323046.500
                        # EOF
                        """);
    }

    /** A fake tracking server that records its requests in order. */
    private static final class Tracking implements AutoCloseable {
        final List<String> requests = new ArrayList<>();
        final List<LocatedJson> bodies = new ArrayList<>();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        private boolean has;

        Tracking() throws IOException {
            server.createContext("/base/api/2.0/mlflow/", exchange -> {
                String path = exchange.getRequestURI().getPath().replaceFirst(".*/mlflow/", "");
                String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
                requests.add(path + " " + exchange.getRequestHeaders().getFirst("Authorization"));
                bodies.add(Json.parse(body.isEmpty() ? "{}" : body, path));
                String answer = answer(path);
                byte[] bytes = answer.getBytes(UTF_8);
                exchange.sendResponseHeaders(answer.startsWith("{\"error") ? 404 : 200, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            server.start();
        }

        private String answer(String path) {
            String run = "{\"info\":{\"run_id\":\"r7\"}}";
            return switch (path) {
                case "experiments/get-by-name" ->
                    has ? "{\"experiment\":{\"experiment_id\":\"3\"}}" : "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\"}";
                case "experiments/create" -> "{\"experiment_id\":\"3\"}";
                case "runs/search" -> has ? "{\"runs\":[" + run + "]}" : "{}";
                case "runs/create" -> {
                    has = true;
                    yield "{\"run\":" + run + "}";
                }
                default -> "{}";
            };
        }

        URI address() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/base/");
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void exportsARunToMlflowOnce() throws Exception {
        try (Tracking tracking = new Tracking()) {
            MlflowExport export = new MlflowExport(tracking.address(), Optional.of("secret"));
            RunExport run = new RunExport(meta(List.of()));
            var exported = new MlflowExport.Exported(run, scratch);
            assertThat(export.send(exported, warnings::add)).isEqualTo("r7");
            assertThat(tracking.requests)
                    .containsExactly(
                            "experiments/get-by-name Bearer secret",
                            "experiments/create Bearer secret",
                            "runs/search Bearer secret",
                            "runs/create Bearer secret",
                            "runs/log-batch Bearer secret",
                            "runs/log-batch Bearer secret",
                            "runs/update Bearer secret");
            assertThat(tracking.bodies.get(2).get("filter").asString())
                    .isEqualTo("tags.`stagesim.run_id` = 'compare-0123456789' and attributes.status = 'FINISHED'");
            assertThat(tracking.bodies.get(3).get("start_time").asLong()).isEqualTo(1767323045000L);
            assertThat(Json.compact(tracking.bodies.get(3).get("tags").value()))
                    .contains("{\"key\":\"stagesim.run_id\",\"value\":\"compare-0123456789\"}")
                    .contains("{\"key\":\"stagesim.overrides\",\"value\":\"a=1 b=2\"}");
            assertThat(tracking.bodies.get(4).get("metrics").items()).hasSize(2);
            List<LocatedJson> params = tracking.bodies.get(5).get("params").items();
            assertThat(params)
                    .hasSize(4)
                    .allMatch(one -> one.get("value").asString().length() <= 500);
            assertThat(tracking.bodies.get(6).get("status").asString()).isEqualTo("FINISHED");

            assertThat(export.send(exported, warnings::add)).isEqualTo("r7");
            assertThat(tracking.requests.subList(7, tracking.requests.size()))
                    .containsExactly("experiments/get-by-name Bearer secret", "runs/search Bearer secret");
        }
    }

    @Test
    void namesAServerThatRejectsTheExport() throws Exception {
        try (Tracking tracking = new Tracking()) {
            URI elsewhere = tracking.address().resolve("/elsewhere");
            RunExport run = new RunExport(meta(List.of()));
            assertThatThrownBy(() -> new MlflowExport(elsewhere, Optional.empty())
                            .send(new MlflowExport.Exported(run, scratch), warnings::add))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("answered 404");
        }
    }

    @Test
    void splitsListsIntoParts() {
        assertThat(RunExport.parts(List.of(1, 2, 3, 4, 5), 2))
                .containsExactly(List.of(1, 2), List.of(3, 4), List.of(5));
        assertThat(RunExport.parts(List.of(), 2)).isEmpty();
    }
}
