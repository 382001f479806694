package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Controls a headless Chromium over the DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final long TIMEOUT_S = 90;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path profile;
    private final Process process;
    private final BlockingQueue<LocatedJson> answers = new LinkedBlockingQueue<>();
    private final WebSocket socket;
    private int requested;

    /** Returns the path of the browser, or an empty text if none is installed. */
    static String program() {
        return Stream.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(":", -1)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
    }

    Browser(Path dir) throws IOException, InterruptedException {
        profile = dir.resolve("profile");
        process = new ProcessBuilder(List.of(
                        program(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--remote-debugging-port=0",
                        "--remote-allow-origins=*",
                        "--user-data-dir=" + profile,
                        "about:blank"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Path port = profile.resolve("DevToolsActivePort");
        await(() -> Files.exists(port) && Files.readAllLines(port).size() == 2);
        URI pages = URI.create("http://127.0.0.1:" + Files.readAllLines(port).get(0) + "/json/list");
        String list = client.send(HttpRequest.newBuilder(pages).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        String address = Json.parse(list, "pages").items().stream()
                .filter(page -> page.get("type").asString().equals("page"))
                .findFirst()
                .orElseThrow()
                .get("webSocketDebuggerUrl")
                .asString();
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(address), new MessageListener())
                .join();
    }

    /** A condition that becomes true after some time. */
    interface Check {
        boolean isTrue() throws IOException;
    }

    private static void await(Check check) throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (!check.isTrue()) {
            assertThat(System.nanoTime()).as("still waiting").isLessThan(until);
            Thread.sleep(20);
        }
    }

    private final class MessageListener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                LocatedJson message = Json.parse(text.toString(), "browser");
                text.setLength(0);
                if (message.has("id")) {
                    answers.add(message);
                }
            }
            from.request(1);
            return null;
        }
    }

    LocatedJson send(String method, Map<String, JsonValue> parameters) throws InterruptedException {
        JsonValue.Obj message = JsonValue.object()
                .put("id", ++requested)
                .put("method", method)
                .put("params", JsonValue.of(parameters))
                .build();
        socket.sendText(Json.compact(message), true).join();
        LocatedJson answer = answers.poll(TIMEOUT_S, TimeUnit.SECONDS);
        assertThat(answer).as(method).isNotNull();
        assertThat(answer.get("id").asLong()).isEqualTo(requested);
        return answer;
    }

    void open(String address) throws InterruptedException {
        send("Page.navigate", Map.of("url", JsonValue.of(address)));
    }

    /** Returns the value of an expression of the page as text. */
    String see(String expression) throws InterruptedException {
        LocatedJson answer = send(
                "Runtime.evaluate",
                Map.of(
                        "expression",
                        JsonValue.of("(async () => String(await (" + expression + ")))()"),
                        "awaitPromise",
                        JsonValue.of(true)));
        return answer.find("result", "result", "value")
                .map(LocatedJson::asString)
                .orElse(Json.compact(answer.value()));
    }

    /** Waits until an expression has a value. */
    void expect(String expression, String value) throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        String seen = see(expression);
        while (!seen.equals(value) && System.nanoTime() < until) {
            Thread.sleep(50);
            seen = see(expression);
        }
        assertThat(seen).as(expression).isEqualTo(value);
    }

    void press(String... keys) throws InterruptedException {
        for (String key : keys) {
            boolean named = key.length() > 1;
            Map<String, JsonValue> down = named
                    ? Map.of("type", JsonValue.of("keyDown"), "key", JsonValue.of(key))
                    : Map.of("type", JsonValue.of("keyDown"), "key", JsonValue.of(key), "text", JsonValue.of(key));
            send("Input.dispatchKeyEvent", down);
            send("Input.dispatchKeyEvent", Map.of("type", JsonValue.of("keyUp"), "key", JsonValue.of(key)));
        }
    }

    /** Waits until a frame of another origin shows an address. A blocked frame never shows it. */
    void expectFrame(String address) throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        String pages = "";
        while (!pages.contains("\"" + address + "\"") && System.nanoTime() < until) {
            Thread.sleep(50);
            pages = Json.compact(send("Target.getTargets", Map.of()).value());
        }
        assertThat(pages).contains("\"" + address + "\"");
    }

    void type(String text) throws InterruptedException {
        send("Input.insertText", Map.of("text", JsonValue.of(text)));
    }

    void width(int pixels) throws InterruptedException {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width", JsonValue.of((long) pixels),
                        "height", JsonValue.of(800L),
                        "deviceScaleFactor", JsonValue.of(1L),
                        "mobile", JsonValue.of(false)));
    }

    void prefer(String scheme) throws InterruptedException {
        JsonValue dark = JsonValue.object()
                .put("name", "prefers-color-scheme")
                .put("value", scheme)
                .build();
        send("Emulation.setEmulatedMedia", Map.of("features", JsonValue.of(List.of(dark))));
    }

    @Override
    public void close() throws IOException, InterruptedException {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        for (String name : List.of("SingletonLock", "SingletonSocket", "SingletonCookie")) {
            Files.deleteIfExists(profile.resolve(name)); // Links out of the folder.
        }
    }
}
