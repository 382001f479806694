package dev.stagesim.feature.mock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.bench.ClientWarmUp;
import dev.stagesim.bench.Endpoint;
import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.bench.Replay;
import dev.stagesim.bench.ReplayOutcome;
import dev.stagesim.bench.ServerFacts;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.prometheus.EngineMetrics;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server over real sockets: its responses, and their times compared with the simulation. */
class OpenAiServerTest {
    private static final int STEP_MS = 4;

    private final List<OpenAiServer> open = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    /** Every step takes 4 ms. */
    private static OperatorTimes times() {
        TableTimes.Builder builder = TableTimes.builder(64);
        for (Operator operator : Operator.values()) {
            if (operator.key() == Operator.Key.TOKENS || operator.key() == Operator.Key.REQUESTS) {
                builder.add(operator, 1, 8192, operator == Operator.MLP_UP_PROJ ? STEP_MS : 0.0);
            }
        }
        return builder.add(Operator.ATTN_DECODE, 1, 1024, 0, 8192, 0.0)
                .add(Operator.ATTN_PREFILL, 0, 8192, 1, 8192, 0.0)
                .build();
    }

    private static ServingSpec spec() {
        return new ServingSpec(
                ModelShape.evenHeads(1, 1, 1, 8, 8, true, true),
                Optional.empty(),
                new ClusterSpec(1, 1, 1, 80, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                new SchedulerSpec.Sarathi(new SchedulerSpec.Limits(64, 16, 0, 1000), 512),
                TimingSpec.DEFAULT,
                2048,
                0,
                VidurQuirk.NONE);
    }

    private record Started(OpenAiServer server, URI base, CompletableFuture<ServerReport> report) {}

    private Started start(Optional<String> key, int capacity) throws Exception {
        return start(key, capacity, accepting -> accepting);
    }

    private Started start(Optional<String> key, int capacity, UnaryOperator<OpenAiServer.Acceptor> between)
            throws Exception {
        MockOptions options = new MockOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "m",
                "0.33+stagesim",
                key,
                16,
                OptionalLong.empty(),
                OptionalLong.empty(),
                MockOptions.ESTIMATE);
        OpenAiServer server =
                OpenAiServer.open(options, new MockService(spec(), times(), "m", capacity, () -> 1.0, true));
        open.add(server);
        server.interceptAccepts(between);
        CompletableFuture<ServerReport> report = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                report.complete(server.run());
            } catch (Throwable e) {
                report.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return new Started(server, URI.create("http://127.0.0.1:" + server.port() + "/v1"), report);
    }

    @AfterEach
    void close() throws Exception {
        for (OpenAiServer server : open) {
            server.stop();
            server.close();
        }
    }

    private HttpResponse<String> send(URI base, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofMinutes(1));
        if (headers.length > 0) {
            request.headers(headers);
        }
        if (!body.isEmpty()) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void returnsTextAndCountsWithoutStream() throws Exception {
        Started s = start(Optional.empty(), 64);
        HttpResponse<String> plain =
                send(s.base, "/completions", "{\"model\":\"m\",\"prompt\":\"two words\",\"max_tokens\":3}");
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(plain.body())
                .contains("\"object\":\"text_completion\"", "\"text\":\" the of and\"", "\"finish_reason\":\"length\"")
                .contains("\"usage\":{\"completion_tokens\":3,\"prompt_tokens\":2,\"total_tokens\":5}");
        HttpResponse<String> ids = send(s.base, "/completions", "{\"prompt\":[5,6,7],\"max_tokens\":1}");
        assertThat(ids.body()).contains("\"prompt_tokens\":3");
        HttpResponse<String> chat = send(
                s.base,
                "/chat/completions",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a b c\"}]}]}");
        assertThat(chat.body())
                .contains("\"object\":\"chat.completion\"", "\"role\":\"assistant\"")
                .contains("\"completion_tokens\":16,\"prompt_tokens\":3");
        assertThat(send(s.base, "/models", "").body()).contains("\"id\":\"m\"", "\"max_model_len\":2048");
        assertThat(send(URI.create(s.base.toString().replace("/v1", "")), "/metrics", "")
                        .body())
                .contains("vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"} 20\n")
                .contains("vllm:request_success_total{engine=\"0\",model_name=\"m\",finished_reason=\"length\"} 3\n");
    }

    @Test
    void reportsEngineFactsToClients() throws Exception {
        Started s = start(Optional.empty(), 64);
        Duration minute = Duration.ofMinutes(1);
        Endpoint endpoint = new Endpoint(s.base, false, "m", Optional.empty(), minute, minute, minute, true);
        assertThat(ServerFacts.read(endpoint))
                .containsEntry("num_gpu_blocks", JsonValue.of("1000"))
                .containsEntry("block_size", JsonValue.of("16"))
                .containsEntry("max_model_len", JsonValue.of(2048L))
                .containsEntry("version", JsonValue.of("0.33+stagesim"));
    }

    private static LocatedJson json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.parse(response.body(), "response");
    }

    @Test
    void answersEachChoiceOfEachPrompt() throws Exception {
        Started s = start(Optional.empty(), 64);
        LocatedJson whole = json(send(
                s.base,
                "/completions",
                "{\"prompt\":[\"one\",\"two words\"],\"n\":2,\"best_of\":2,\"max_tokens\":3}",
                "X-Request-Id",
                "mine"));
        assertThat(whole.get("choices").items())
                .extracting(choice -> choice.get("index").asLong())
                .containsExactly(0L, 1L, 2L, 3L);
        assertThat(whole.get("usage").get("prompt_tokens").asLong()).isEqualTo(3);
        assertThat(whole.get("usage").get("completion_tokens").asLong()).isEqualTo(12);
        String stream = send(
                        s.base,
                        "/completions",
                        "{\"prompt\":[[1,2],[3]],\"max_tokens\":2,\"stream\":true,"
                                + "\"stream_options\":{\"include_usage\":true}}")
                .body();
        assertThat(stream.split("\n\n")).hasSize(2 * 2 + 2);
        assertThat(stream)
                .contains("\"choices\":[{\"index\":1,\"text\":")
                .contains("\"usage\":{\"completion_tokens\":4,\"prompt_tokens\":3,\"total_tokens\":7}")
                .endsWith("data: [DONE]\n\n");
        HttpResponse<String> large = send(s.base, "/completions", "{\"prompt\":\"a\",\"n\":65}");
        assertThat(large.statusCode()).as("65 choices, but 64 slots").isEqualTo(400);
        assertThat(large.body()).contains("the request has 65 choices, and this server runs at most 64 at a time");
        s.server.stop();
        assertThat(s.report.get(1, TimeUnit.MINUTES).served())
                .extracting(RequestOutcome::clientId)
                .containsExactly("mine", "mine-1", "mine-2", "mine-3", "", "");
    }

    @Test
    void endsTheTextBeforeAStopText() throws Exception {
        Started s = start(Optional.empty(), 64);
        LocatedJson plain =
                json(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":9,\"stop\":[\"###\",\"f and\"]}"));
        LocatedJson choice = plain.get("choices").items().get(0);
        assertThat(choice.get("text").asString()).isEqualTo(" the o");
        assertThat(choice.get("finish_reason").asString()).isEqualTo("stop");
        assertThat(plain.get("usage").get("completion_tokens").asLong()).isEqualTo(3);
        String stream = send(
                        s.base,
                        "/chat/completions",
                        "{\"messages\":[{\"role\":\"user\"}],\"max_tokens\":40,\"min_tokens\":20,\"stop\":\" of\",\"stream\":true}")
                .body();
        assertThat(stream.split("\n\n"))
                .as("role, tokens to the next 'of', end")
                .hasSize(1 + 33 + 1);
        assertThat(stream).contains("\"finish_reason\":\"stop\"").doesNotContain("\"length\"");
        s.server.stop();
        assertThat(s.report.get(1, TimeUnit.MINUTES).served())
                .allMatch(RequestOutcome::isComplete)
                .extracting(RequestOutcome::requestedTokens)
                .containsExactly(3, 33);
    }

    @Test
    void countsTokensAndMeasuresLikeTheEngine() throws Exception {
        Started s = start(Optional.empty(), 64);
        URI root = URI.create(s.base.toString().replace("/v1", ""));
        LocatedJson tokens = json(send(root, "/tokenize", "{\"prompt\":\"two words\"}"));
        assertThat(tokens.get("count").asLong()).isEqualTo(2);
        assertThat(tokens.get("tokens").items()).hasSize(2);
        assertThat(send(root, "/tokenize", "{}").statusCode()).isEqualTo(400);
        json(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":6}"));
        Duration minute = Duration.ofMinutes(1);
        Endpoint endpoint = new Endpoint(s.base, false, "m", Optional.empty(), minute, minute, minute, true);
        EngineMetrics metrics = ServerFacts.metrics(endpoint).orElseThrow();
        assertThat(metrics.models()).containsExactly("m");
        assertThat(metrics.latency(EngineMetrics.Latency.TPOT).orElseThrow().mean())
                .isEqualTo(STEP_MS / 1e3);
        assertThat(metrics.latency(EngineMetrics.Latency.TOKEN_GAP)
                        .orElseThrow()
                        .count())
                .isEqualTo(5);
        assertThat(metrics.latency(EngineMetrics.Latency.E2E).orElseThrow().sum())
                .isEqualTo(6 * STEP_MS / 1e3);
        assertThat(metrics.figures())
                .containsEntry("queue_mean_ms", 0.0)
                .containsEntry("output_tokens_mean", 6.0)
                .containsEntry("prefill_mean_ms", (double) STEP_MS);
    }

    @Test
    void streamsOneEventPerTokenInOpenAiFormat() throws Exception {
        Started s = start(Optional.empty(), 64);
        String body = send(
                        s.base,
                        "/chat/completions",
                        "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_completion_tokens\":2,\"stream\":true,"
                                + "\"stream_options\":{\"include_usage\":true}}")
                .body();
        List<String> events = Arrays.stream(body.split("\n\n")).toList();
        assertThat(events).hasSize(5).allSatisfy(e -> assertThat(e).startsWith("data: "));
        assertThat(events.get(0)).contains("\"delta\":{\"content\":\"\",\"role\":\"assistant\"}");
        assertThat(events.get(1)).contains("\"delta\":{\"content\":\" the\"}", "\"finish_reason\":null");
        assertThat(events.get(2)).contains("\"delta\":{\"content\":\" of\"}", "\"finish_reason\":\"length\"");
        assertThat(events.get(3)).contains("\"choices\":[]", "\"completion_tokens\":2");
        assertThat(events.get(4)).isEqualTo("data: [DONE]");
    }

    @Test
    void returnsOpenAiErrorsForInvalidRequests() throws Exception {
        Started s = start(Optional.of("secret"), 1);
        String[] key = {"Authorization", "Bearer secret"};
        assertThat(send(s.base, "/completions", "{}").statusCode()).isEqualTo(401);
        assertThat(send(s.base, "/completions", "{}", "Authorization", "Bearer wrong")
                        .body())
                .contains("\"code\":\"invalid_api_key\"")
                .doesNotContain("secret");
        assertThat(send(s.base, "/completions", "{\"prompt\":", key).body())
                .contains("invalid_request_error", "not valid JSON");
        assertThat(send(s.base, "/completions", "{}", key).body()).contains("\"param\":\"prompt\"");
        assertThat(send(s.base, "/chat/completions", "{\"messages\":[]}", key).body())
                .contains("messages is empty");
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"stop\":[\"\"]}", key)
                        .body())
                .contains("\"param\":\"stop\"");
        for (String stop : List.of("null", "[]", "\"###\"", "[\"\\n\"]")) {
            assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":1,\"stop\":" + stop + "}", key)
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(send(s.base, "/models/%6D", "", key).body()).contains("\"id\":\"m\"");
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":0}", key)
                        .body())
                .contains("at least 1");
        HttpResponse<String> contradiction =
                send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":3,\"min_tokens\":4}", key);
        assertThat(contradiction.statusCode()).isEqualTo(400);
        assertThat(contradiction.body()).contains("min_tokens must be less than or equal to max_tokens=3, got 4.");
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":9999}", key)
                        .body())
                .contains("context_length_exceeded", "2048");
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"model\":\"other\"}", key)
                        .statusCode())
                .isEqualTo(404);
        assertThat(send(s.base, "/completions", "", key).statusCode()).isEqualTo(405);
        assertThat(send(s.base, "/else", "", key).statusCode()).isEqualTo(404);
        CompletableFuture<HttpResponse<String>> first = client.sendAsync(
                HttpRequest.newBuilder(URI.create(s.base + "/completions"))
                        .headers(key)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"a\",\"max_tokens\":100}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        HttpResponse<String> second = send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":100}", key);
        List<Integer> codes = List.of(first.get(1, TimeUnit.MINUTES).statusCode(), second.statusCode());
        assertThat(codes).as("one place").containsAnyOf(200).doesNotContain(400, 500);
        s.server.stop();
        assertThat(s.report.get(1, TimeUnit.MINUTES).refused()).containsKeys(400, 401, 404, 405);
    }

    /** Members of the request, with values that must be rejected. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "max_tokens; 0,-1,1.5,'x',[],[1],{},true; at least 1|a number",
                "max_completion_tokens; 0,-1,1.5,'x',[],{},false; at least 1|a number",
                "max_tokens; 2048,1000000000000,1e12,1e300,99999999999999999999; context length is 2048",
                "max_completion_tokens; 9223372036854775807,1e12; context length is 2048",
                "n; 0,-1,129,1e12,1.5,'1',[1],{},true; from 1 to 128|a number",
                "best_of; 0,-1,2,1e12,'1',[],{}; must equal n|a number",
                "seed; 1.5,1e30,'1',[],{}; an integer of 64 bits|a number",
                "top_logprobs; -1,5,1e12,'1',[]; must be 0|a number",
                "temperature; -1,2.1,1e12,'x',[],{},true; from 0 to 2|a number",
                "top_p; -0.1,1.1,1e12,'x',[],{}; from 0 to 1|a number",
                "presence_penalty; -2.1,1e12,'x',[],{}; from -2 to 2|a number",
                "frequency_penalty; 2.1,-1e12,'x',[],{}; from -2 to 2|a number",
                "stream; 1,'true',[],{}; true or false",
                "logprobs; 0,5,true,'x',[]; not supported",
                "echo; 1,true,'x'; not supported",
                "stop; 5,{},[5]; expected",
                "model; 5,[],{}; a string",
                "prompt; 5,{},[],[1.5],[[],[]]; prompt|an integer|an array"
            })
    void rejectsInvalidMembers(String member, String values, String message) throws Exception {
        Started s = start(Optional.empty(), 64);
        for (LocatedJson value :
                Json.parse("[" + values.replace('\'', '"') + "]", "values").items()) {
            for (String path : List.of("/completions", "/chat/completions")) {
                if (member.equals("prompt") && path.startsWith("/chat")) {
                    continue;
                }
                Map<String, JsonValue> members = new TreeMap<>();
                members.put("max_tokens", JsonValue.of(1L));
                members.put("prompt", JsonValue.of("a"));
                members.put(
                        "messages",
                        Json.parse("[{\"role\":\"user\"}]", "messages").value());
                members.put(member, value.value());
                JsonObjectBuilder body = JsonValue.object();
                members.forEach(body::put);
                HttpResponse<String> response = send(s.base, path, Json.compact(body.build()));
                assertThat(response.statusCode())
                        .as(member + " " + value.value())
                        .isEqualTo(400);
                assertThat(response.body())
                        .contains("\"param\":\"" + (message.startsWith("context") ? "max_tokens" : member));
                assertThat(response.body()).containsPattern(message);
            }
        }
    }

    @Test
    void acceptsNullAndLegalNumbers() throws Exception {
        Started s = start(Optional.empty(), 64);
        for (String member : List.of("n", "best_of", "seed", "temperature", "top_p", "max_tokens", "stop", "stream")) {
            assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"" + member + "\":null}")
                            .statusCode())
                    .as(member)
                    .isEqualTo(200);
        }
        String body = "{\"prompt\":\"a\",\"max_tokens\":2.0,\"temperature\":2,\"seed\":-5,\"top_p\":0.5,\"n\":1}";
        assertThat(send(s.base, "/completions", body).body()).contains("\"completion_tokens\":2");
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":1e400}")
                        .body())
                .contains("invalid_request_error");
    }

    @Test
    void closesConnectionBeforeBodyWhenHeadIsRejected() throws Exception {
        Started s = start(Optional.of("secret"), 1);
        List<String> heads = List.of(
                "401 POST /v1/completions HTTP/1.1\r\nContent-Length: 9000000",
                "401 POST /v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer wrong\r\nTransfer-Encoding: chunked",
                "404 POST /else HTTP/1.1\r\nAuthorization: Bearer secret\r\nContent-Length: 9000000",
                "405 PUT /v1/completions HTTP/1.1\r\nAuthorization: Bearer secret\r\nContent-Length: 9000000");
        for (String head : heads) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), s.base.getPort())) {
                socket.setSoTimeout(60_000);
                OutputStream to = socket.getOutputStream();
                to.write((head.substring(4) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                to.flush();
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer)
                        .as(head)
                        .startsWith("HTTP/1.1 " + head.substring(0, 3))
                        .contains("Connection: close");
            }
        }
        s.server.stop();
        assertThat(s.report.get(1, TimeUnit.MINUTES).refused())
                .containsEntry(401, 2L)
                .containsEntry(404, 1L)
                .containsEntry(405, 1L);
    }

    @Test
    void readsRequestsInPiecesAndChunks() throws Exception {
        Started s = start(Optional.empty(), 8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), s.base.getPort())) {
            socket.setSoTimeout(60_000);
            OutputStream to = socket.getOutputStream();
            String text = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "b\r\n{\"prompt\":\"\r\n4;x=y\r\nhi\"}\r\n0\r\n\r\nGET /health HTTP/1.0\r\n\r\n";
            for (byte one : text.getBytes(StandardCharsets.US_ASCII)) {
                to.write(one);
                to.flush();
            }
            InputStream from = socket.getInputStream();
            String all = new String(from.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(all).contains("\"prompt_tokens\":1").endsWith("Connection: close\r\n\r\n{}");
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), s.base.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write("nonsense\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void keepsPortOpenWhenAcceptFails() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        Started s = start(Optional.empty(), 8, port -> () -> {
            if (failures.get() < 5) {
                failures.incrementAndGet();
                throw new IOException("Too many open files");
            }
            return port.accept();
        });
        assertThat(send(s.base, "/models", "").statusCode()).isEqualTo(200);
        assertThat(failures).hasValue(5);
        s.server.stop();
        assertThat(s.report.get(1, TimeUnit.MINUTES).maxConnections()).isEqualTo(1);
    }

    @Test
    void servesOtherClientsWhenAClientDisconnects() throws Exception {
        Started s = start(Optional.empty(), 8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), s.base.getPort())) {
            // eight seconds of tokens, so that the server detects the disconnect before the last one
            String body = "{\"prompt\":\"a\",\"max_tokens\":2000,\"stream\":true}";
            socket.getOutputStream()
                    .write(("POST /v1/completions HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":60}")
                        .statusCode())
                .isEqualTo(200);
        s.server.stop();
        assertThat(s.report.get(1, TimeUnit.MINUTES).served())
                .extracting(RequestOutcome::ending)
                .containsExactly(RequestOutcome.Ending.DISCONNECTED, RequestOutcome.Ending.DONE);
    }

    @Test
    void freesCapacityWhenAClientDisconnects() throws Exception {
        Started s = start(Optional.empty(), 1);
        URI root = URI.create(s.base.toString().replace("/v1", ""));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), s.base.getPort())) {
            String body = "{\"prompt\":\"a\",\"max_tokens\":2000,\"stream\":true}";
            socket.getOutputStream()
                    .write(("POST /v1/completions HTTP/1.1\r\nX-Request-Id: mine\r\nContent-Length: " + body.length()
                                    + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
        while (!send(root, "/metrics", "")
                .body()
                .contains("vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 0\n")) {
            Thread.onSpinWait();
        }
        assertThat(send(s.base, "/completions", "{\"prompt\":\"a\",\"max_tokens\":2}")
                        .statusCode())
                .isEqualTo(200);
        s.server.stop();
        RequestOutcome left = s.report.get(1, TimeUnit.MINUTES).served().get(0);
        assertThat(left.ending()).isEqualTo(RequestOutcome.Ending.DISCONNECTED);
        assertThat(left.clientId()).isEqualTo("mine");
    }

    @Test
    void sendsTokensAtTheirSimulatedTimesAndNeverEarly() throws Exception {
        Started s = start(Optional.empty(), 64);
        List<PlannedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            requests.add(new PlannedRequest(i, 10_000_000L * i, "a prompt of five words", 8 + i));
        }
        Duration minute = Duration.ofMinutes(1);
        Endpoint endpoint = new Endpoint(s.base, false, "m", Optional.empty(), minute, minute, minute, true);
        ClientWarmUp.run();
        Replay.Result replay = Replay.run(
                endpoint,
                requests,
                new Replay.Options(64, "r", Optional.of(Duration.ofMillis(5))),
                (o, done, all) -> {});
        s.server.stop();
        List<RequestOutcome> served = s.report.get(1, TimeUnit.MINUTES).served();
        assertThat(served).hasSize(12);
        RequestTrace trace = new RequestTrace(
                served.stream().mapToDouble(r -> r.arrivalNs() / 1e9).toArray(),
                served.stream().mapToInt(RequestOutcome::promptTokens).toArray(),
                served.stream().mapToInt(RequestOutcome::requestedTokens).toArray());
        ServingOutcome simulated = ServingSimulator.run(spec(), trace, times());
        for (RequestOutcome r : served) {
            int i = (int) r.number();
            assertThat(r.firstNs()).isEqualTo(Math.round(simulated.states().prefillCompletedAt(i) * 1e9));
            assertThat(r.lastNs()).isEqualTo(Math.round(simulated.states().completedAt(i) * 1e9));
        }
        agrees(replay, served);
    }

    /** The client receives every token, and none before its simulated time. */
    private static void agrees(Replay.Result replay, List<RequestOutcome> served) {
        Map<String, RequestOutcome> byName =
                served.stream().collect(Collectors.toMap(RequestOutcome::clientId, Function.identity()));
        for (int i = 0; i < served.size(); i++) {
            ReplayOutcome o = replay.outcomes().get(i);
            RequestOutcome r = Objects.requireNonNull(byName.get(o.label()));
            assertThat(o.error()).isEmpty();
            assertThat(o.chunkNs()).hasSize(r.requestedTokens());
            long first = o.chunkNs()[0] - o.sentNs() - (r.firstNs() - r.arrivalNs());
            long last = o.chunkNs()[r.requestedTokens() - 1] - o.sentNs() - (r.lastNs() - r.arrivalNs());
            assertThat(first).as("not early").isNotNegative();
            assertThat(last).as("not early").isNotNegative();
            assertThat(r.maxDelayNs())
                    .isGreaterThanOrEqualTo(r.firstTokenDelayNs())
                    .isNotNegative();
        }
    }
}
