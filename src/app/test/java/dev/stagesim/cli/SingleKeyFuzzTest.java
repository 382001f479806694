package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands with one random override each give a run or one error, and never an internal error, a hang, or a value
 * outside physical limits.
 */
@Tag("acceptance")
class SingleKeyFuzzTest {
    private static final int COMMANDS = Integer.getInteger("stagesim.fuzz.commands", 1_500);
    private static final long SEED = Long.getLong("stagesim.fuzz.seed", 28112026);
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** Number of runs after which their directory is emptied. */
    private static final int RUNS_KEPT = 200;

    private static final double ROUNDING = 1e-6;

    @TempDir
    private Path dir;

    /** Plans the runs without executing them. */
    @Test
    void plansOrRejectsSomeCommands() {
        Home home = Home.fromEnvironment();
        for (String line : SingleKeys.draw(120, 3)) {
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
            int exit = new Cli(new Console(out, out, false, false), home).run((line + " --dry-run").split(" ", -1));
            assertThat(exit)
                    .as(line + ": " + output.toString(StandardCharsets.UTF_8))
                    .isIn(0, 2, 3);
        }
    }

    @Test
    @Tag("long")
    void keepsEveryMetricWithinPhysicalLimits() throws Exception {
        List<String> faults = new ArrayList<>();
        Map<String, Integer> ends = new TreeMap<>();
        List<String> left = SingleKeys.draw(COMMANDS, SEED);
        while (!left.isEmpty()) {
            left = session(left, faults, ends);
        }
        System.err.println("ends: " + ends + ", faults: " + faults.size());
        assertThat(faults).as(ends.toString()).isEmpty();
    }

    /** Runs commands in one process until one does not return. Returns the remaining commands. */
    private List<String> session(List<String> lines, List<String> faults, Map<String, Integer> ends) throws Exception {
        Path err = Files.createTempFile(dir, "err", "");
        Process process = new ProcessBuilder(ChildJava.command(
                        CommandServer.class,
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-Dstagesim.home=" + Home.fromEnvironment().dir()))
                .directory(dir.toFile())
                .redirectError(err.toFile())
                .start();
        long read = 0;
        int done = 0;
        try (Writer to = process.outputWriter(StandardCharsets.UTF_8);
                BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line : lines) {
                // longer runs are refused, not waited for
                to.write((line + " limits.hours=0.02 --json").replace(' ', '\t') + "\n");
                to.flush();
                done++;
                String end = answer(from);
                ends.merge(end, 1, Integer::sum);
                byte[] all = Files.readAllBytes(err);
                String output = new String(all, (int) read, all.length - (int) read, StandardCharsets.UTF_8);
                read = all.length;
                // on a busy machine a profiler of another process can take longer than its minimum limit
                boolean isGood = List.of(CommandServer.END + 0, CommandServer.END + 2, CommandServer.END + 3)
                                .contains(end)
                        || output.matches("(?s).*profiler error: profile.(stall|timeout)_s.*");
                if (!isGood) {
                    fault(faults, line + ": " + end + ": " + output.substring(0, Math.min(600, output.length())));
                } else {
                    impossible(output).forEach(what -> fault(faults, line + ": " + what));
                }
                if (end.equals("hang") || end.equals("dead")) {
                    break;
                }
                if (done % RUNS_KEPT == 0) {
                    clear(dir.resolve("tmp"));
                    System.err.println(done + " of " + lines.size() + " " + ends);
                }
            }
        } finally {
            process.destroyForcibly();
        }
        return lines.subList(done, lines.size());
    }

    private static void fault(List<String> faults, String what) {
        faults.add(what);
        System.err.println("FAULT " + what);
    }

    private static String answer(BufferedReader from) throws InterruptedException, ExecutionException {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return String.valueOf(from.readLine());
            } catch (IOException closed) {
                return "null";
            }
        });
        try {
            String end = line.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            return end.equals("null") ? "dead" : end;
        } catch (TimeoutException slow) {
            return "hang";
        }
    }

    /** Returns the impossible values of a run: not finite, negative times, shares above 1. */
    static List<String> impossible(String output) {
        List<String> found = new ArrayList<>();
        output.lines().filter(text -> text.startsWith("{")).forEach(text -> {
            LocatedJson json = Json.parse(text, "out");
            json.find("headlines").ifPresent(all -> all.members().forEach((name, value) -> {
                if (value.value() instanceof JsonValue.Real || value.value() instanceof JsonValue.Int) {
                    check(name, value.asDouble(), found);
                }
            }));
        });
        return found;
    }

    private static void check(String name, double value, List<String> found) {
        boolean isSigned = name.matches(".*(error|difference|change|delta|gain|regret|slack|headroom|margin|shift).*");
        boolean isShare =
                !isSigned && name.matches(".*(mfu|utili[sz]ation|busy|share|hit|attained|held(?!_out)).*percent.*");
        if (!Double.isFinite(value) || (value < 0 && !isSigned) || (isShare && value > 100 * (1 + ROUNDING))) {
            found.add(name + " = " + value);
        }
    }

    @Test
    void findsImpossibleMetrics() {
        assertThat(impossible("{\"headlines\": {\"ttft_p50_ms\": -1, \"mfu_percent\": 101, \"x_error_percent\": -4}}"))
                .hasSize(2);
        assertThat(impossible("{\"headlines\": {\"ttft_p50_ms\": 1, \"mfu_percent\": 100}}\nwarning"))
                .isEmpty();
        assertThat(impossible("{\"headlines\": {\"held_out_error_percent\": 130, \"busy_error_percent\": -130}}"))
                .isEmpty();
    }

    private static void clear(Path root) throws IOException {
        if (Files.exists(root)) {
            try (Stream<Path> paths = Files.walk(root)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
