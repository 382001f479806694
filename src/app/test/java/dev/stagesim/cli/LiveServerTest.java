package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.bench.RawServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Live measurements against faulty servers: exit codes, messages, and remaining files. */
@Tag("acceptance")
class LiveServerTest {
    private static final long TIMEOUT_MINUTES = 5;
    private static final int REQUESTS = 12;
    private static final String KEY = "sk-0123456789-not-to-be-written";

    private final Path home = Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();
    private final CountDownLatch over = new CountDownLatch(1);
    private int commands;

    @TempDir
    Path scratch;

    @AfterEach
    void end() {
        over.countDown();
    }

    private record Result(int exit, String out, String err) {
        Path dir(Path scratch) {
            assertThat(out.lines()).as(err).hasSize(1);
            return scratch.resolve(out.strip());
        }
    }

    private ProcessBuilder command(String url, String... more) {
        List<String> command = ChildJava.command(Main.class, "-XX:TieredStopAtLevel=1", "-Dstagesim.home=" + home);
        command.addAll(List.of("real_bench", "real.source=endpoint", "endpoint.url=" + url));
        command.addAll(List.of("workload=chat_poisson", "workload.num_requests=" + REQUESTS));
        command.addAll(List.of("workload.lengths.kind=fixed", "workload.lengths.prefill_tokens=7"));
        command.addAll(List.of("workload.lengths.decode_tokens=3", "arrival=poisson", "arrival.qps=200"));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command).directory(scratch.toFile());
        builder.environment().put("STAGESIM_TEST_KEY", KEY);
        return builder;
    }

    private Result run(String url, String... more) throws Exception {
        Path out = scratch.resolve("out" + commands + ".txt");
        Path err = scratch.resolve("err" + commands++ + ".txt");
        Process process = command(url, more)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        boolean ended = process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        assertThat(ended).as("ended").isTrue();
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static List<String> errors(Path dir) throws IOException {
        List<String> lines = Files.readAllLines(dir.resolve("client_metrics.csv"));
        List<String> errors = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", 10);
            errors.add(cells[9].replace("\"", ""));
        }
        return errors;
    }

    private void misbehave(int n, Socket socket) throws IOException, InterruptedException {
        switch (n % 6) {
            case 1 -> {
                RawServer.tokens(socket, 2);
                RawServer.die(socket);
            }
            case 2 -> RawServer.write(socket, "\u0000\u0001 no HTTP at all\r\n\r\n");
            case 3 -> {
                RawServer.tokens(socket, 1);
                over.await();
            }
            case 4 -> RawServer.tokens(socket, 2);
            case 5 -> {
                RawServer.tokens(socket, 1);
                RawServer.write(socket, "data: {\"choices\":oops}\n\n");
            }
            default -> RawServer.whole(socket, 3);
        }
    }

    @Test
    void attributesEachFaultToOneRequest() throws Exception {
        try (RawServer server = new RawServer((n, head, socket) -> misbehave(n, socket))) {
            Result run = run(server.url(), "endpoint.warmup_requests=0", "endpoint.stall_timeout=15");
            assertThat(run.exit()).as(run.err()).isZero();
            assertThat(run.err())
                    .contains("2 of 12 requests failed: no data for 15 s")
                    .contains("2 of 12 requests failed: the stream ended early, after 2 chunks")
                    .contains("2 of 12 requests failed: an event of the stream is not a completion")
                    .containsPattern("failed +10\n")
                    .containsPattern("requests +12\n");
            assertThat(errors(run.dir(scratch)))
                    .hasSize(REQUESTS)
                    .filteredOn(String::isEmpty)
                    .hasSize(2);
        }
    }

    @Test
    void failsRemainingRequestsWhenTheServerDisappears() throws Exception {
        RawServer[] self = new RawServer[1];
        try (RawServer server = new RawServer((n, head, socket) -> {
            if (n < 4) {
                RawServer.whole(socket, 3);
            } else {
                self[0].refuse();
                RawServer.die(socket);
            }
        })) {
            self[0] = server;
            Result run = run(server.url(), "endpoint.warmup_requests=0", "endpoint.max_concurrency=1");
            assertThat(run.exit()).as(run.err()).isZero();
            assertThat(run.err())
                    .contains(
                            "1 of 12 requests failed: the connection failed",
                            "7 of 12 requests failed: cannot connect");
            assertThat(errors(run.dir(scratch)))
                    .containsExactlyElementsOf(Stream.concat(
                                    Stream.generate(() -> "").limit(4),
                                    errors(run.dir(scratch)).stream().skip(4))
                            .toList())
                    .hasSize(REQUESTS);
        }
        Result never = run(self[0].url());
        assertThat(never.exit()).as(never.err()).isEqualTo(1);
        assertThat(never.out()).isEmpty();
        assertThat(never.err())
                .contains("server error", "the first request failed: cannot connect", "is the server up");
        Result cold = run(self[0].url(), "endpoint.warmup_requests=0");
        assertThat(cold.exit()).isEqualTo(1);
        assertThat(cold.err()).contains("all 12 requests failed: cannot connect");
    }

    @Test
    void resumesAKilledReplay() throws Exception {
        Set<String> sent = new ConcurrentSkipListSet<>();
        AtomicBoolean held = new AtomicBoolean(true);
        Path journal = scratch.resolve("replay.jsonl");
        String[] options = {"endpoint.warmup_requests=0", "endpoint.journal=" + journal, "endpoint.stall_timeout=300"};
        try (RawServer server = new RawServer((n, head, socket) -> {
            sent.add(head.replaceAll("(?is).*x-request-id: *(\\S+).*", "$1"));
            if (n < 5 || !held.get()) {
                RawServer.whole(socket, 3);
            } else {
                over.await();
            }
        })) {
            Process process = command(server.url(), options)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            while (lines(journal) < 1 + 5) {
                assertThat(process.isAlive()).isTrue();
                Thread.sleep(20);
            }
            process.destroyForcibly().waitFor();
            String killed = sent.iterator().next().replaceAll("-\\d+$", "-");
            held.set(false);
            over.countDown();
            Result again = run(server.url(), options);
            assertThat(again.exit()).as(again.err()).isZero();
            assertThat(again.err()).contains("resumed: 5 of 12 requests were in replay.jsonl");
            sent.removeIf(id -> id.startsWith(killed)); // The server may read a request after the death of its client.
            assertThat(sent).as("completed requests are not sent again").hasSize(7);
            assertThat(errors(again.dir(scratch))).hasSize(REQUESTS).containsOnly("");
        }
    }

    private static long lines(Path file) throws IOException {
        return Files.exists(file)
                ? Files.readString(file, StandardCharsets.UTF_8)
                        .chars()
                        .filter(c -> c == '\n')
                        .count()
                : 0;
    }

    @Test
    void usesTheKeyWithoutATraceAndRejectsOtherMachines() throws Exception {
        Set<String> heads = new ConcurrentSkipListSet<>();
        try (RawServer server = new RawServer((n, head, socket) -> {
            heads.add(head);
            if (n == 7) {
                RawServer.write(socket, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            } else {
                RawServer.whole(socket, 3);
            }
        })) {
            Result run = run(
                    server.url(), "endpoint.api_key_env=STAGESIM_TEST_KEY", "endpoint.journal=" + scratch.resolve("j"));
            assertThat(run.exit()).as(run.err()).isZero();
            assertThat(heads).allMatch(head -> head.contains("Authorization: Bearer " + KEY));
            assertThat(run.err()).contains("1 of 12 requests failed: HTTP 500");
        }
        try (Stream<Path> all = Files.walk(scratch)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as(file.toString())
                        .doesNotContain(KEY);
            }
        }
        Result refused = run("http://192.0.2.1:8000/v1");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err())
                .contains("names 192.0.2.1, which is another machine", "endpoint.allow_host=192.0.2.1");
    }
}
