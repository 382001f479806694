package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.console.Home;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Interrupts or kills commands of every stage that needs no engine, single and in sweeps, at random moments. Afterwards
 * there is a finished run or none, the exit code is the signal's, no process is left, and the next command cleans up
 * and succeeds.
 *
 * <p>{@code -Dstagesim.kills=1000} sets the number of kills, {@code -Dstagesim.kills.seed=1} the seed of the moments.
 */
@Tag("acceptance")
final class KillHarnessTest {
    private static final int KILLS = Integer.getInteger("stagesim.kills", 0);
    private static final int QUICK_KILLS = 6;

    /** Exit codes by signal. */
    private static final Map<String, Integer> SIGNALS = Map.of("KILL", 137, "TERM", 143, "INT", 130);

    /**
     * Between installing its signal handlers and loading the first class, the JVM reports a signal with this message
     * and exit code 1 instead of the signal's code (decision 15). The command has not started then.
     */
    private static final String NO_MACHINE = "Error occurred during initialization of VM";

    /**
     * Background jobs of a script and their children ignore SIGINT, as POSIX requires, so a command there cannot be
     * interrupted.
     */
    private static final List<String> SIGNAL_NAMES =
            isInterruptIgnored() ? List.of("KILL", "TERM") : List.of("KILL", "TERM", "INT");

    /** N is replaced by a different number each time, so that no run is reused. */
    private static final List<String> COMMANDS = List.of(
            "workload workload.num_requests=300 workload.seed=N",
            "vidur_profile hardware.mem_bw_gbs=1N",
            "vidur_sim workload.num_requests=150 workload.seed=N",
            "vidur_sim --force workload.num_requests=150",
            "real_bench --force",
            "compare --force",
            "scale_sim --force",
            "workload --force workload=chakra_all_reduce",
            "workload --force workload=mnk_example",
            "astra_sim --force",
            "astra_sim --force network=packet_star_8",
            "fabric --force",
            "serve_mock server.port=0 server.ready_file=ready",
            "vidur_sim -m scheduler=vllm,sarathi,orca workload.num_requests=60 workload.seed=N",
            "workload -m workload.num_requests=5 workload.seed=N,1N,2N,3N,4N,5N launcher.jobs=2",
            "workload -m workload.num_requests=5 workload.seed=N,1N,2N,3N,4N,5N shard=0/2",
            "vidur_sim -m sweeper=capacity sweeper.slo=[\"ttft_p99_ms<=400\"] sweeper.seeds=[1] scheduler=vllm,sarathi"
                    + " sweeper.tolerance=0.0N workload.num_requests=60",
            "train_plan --force",
            "plan --force requests=100 search.finalists=1 search.tp=[1] search.simulations=6 ~engine@engines.sglang"
                    + " ~engine@engines.trtllm",
            "vidur_sim engine=vllm_v1 workload.num_requests=60 workload.seed=N",
            "vidur_sim engine=sglang workload.num_requests=60 workload.seed=N",
            "vidur_sim -m engine=vllm_v1,sglang workload.num_requests=40 workload.seed=N");

    @TempDir
    private Path dir;

    private final Map<String, Integer> counts = new TreeMap<>();

    @Test
    void leavesConsistentRunsWhenKilled() throws Exception {
        harness(QUICK_KILLS, new SplittableRandom(7), List.of(COMMANDS.get(0), COMMANDS.get(13)));
    }

    @Test
    @Tag("long")
    void leavesConsistentRunsWhenKilledManyTimes() throws Exception {
        assumeTrue(KILLS > 0, "say how often to kill with -Dstagesim.kills=N");
        harness(KILLS, new SplittableRandom(Long.getLong("stagesim.kills.seed", 1)), COMMANDS);
        System.out.println("killed " + KILLS + " times: " + counts);
    }

    private void harness(int kills, SplittableRandom random, List<String> commands) throws Exception {
        List<Long> lasts = new ArrayList<>();
        int number = 1000;
        for (String command : commands) {
            lasts.add(isService(command) ? TimeUnit.SECONDS.toNanos(3) : undisturbed(words(command, number++)));
        }
        Process next = start(List.of(), CommandServer.class, "next", ProcessBuilder.Redirect.PIPE);
        try (Writer to = next.outputWriter(StandardCharsets.UTF_8);
                BufferedReader from = next.inputReader(StandardCharsets.UTF_8)) {
            for (int i = 0; i < kills; i++) {
                int which = i % commands.size();
                String signal = SIGNAL_NAMES.get(random.nextInt(SIGNAL_NAMES.size()));
                List<String> words = words(commands.get(which), number++);
                String about = i + ": " + signal + " " + words;
                long moment = random.nextLong(lasts.get(which));
                boolean isWhole = kill(words, signal, moment, about);
                check(isWhole || signal.equals("KILL"), signal.equals("KILL"), about);
                if (!isService(commands.get(which))) {
                    to.write(String.join("\t", words) + "\n");
                    to.flush();
                    assertThat(from.readLine())
                            .as("next run after " + about + "; see " + output("next"))
                            .isEqualTo(CommandServer.END + "0");
                    check(true, false, "next run after " + about);
                }
            }
        } finally {
            next.destroyForcibly();
        }
    }

    private static boolean isInterruptIgnored() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
        } catch (IOException notLinux) {
            return false;
        }
    }

    private static boolean isService(String command) {
        return command.startsWith("serve_mock");
    }

    private static List<String> words(String command, int number) {
        return Arrays.stream(command.split(" ", -1))
                .map(word -> word.replaceAll("(?<=[=,\\[0-9])N", Integer.toString(number)))
                .toList();
    }

    private Process start(List<String> words, Class<?> main, String name, ProcessBuilder.Redirect out)
            throws IOException {
        List<String> command = ChildJava.command(
                main,
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+DisplayVMOutputToStderr",
                "-Dstagesim.home=" + Home.fromEnvironment().dir());
        command.addAll(words);
        return new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(out)
                .redirectError(dir.resolve(name + ".err").toFile())
                .start();
    }

    private Process command(List<String> words) throws IOException {
        File out = dir.resolve("killed.out").toFile();
        return start(words, Main.class, "killed", ProcessBuilder.Redirect.to(out));
    }

    private String output(String name) throws IOException {
        return Files.readString(dir.resolve(name + ".err"));
    }

    /** Returns the time of a command without a signal. */
    private long undisturbed(List<String> words) throws Exception {
        long begun = System.nanoTime();
        Process process = command(words);
        assertThat(process.waitFor()).as(words + ": " + output("killed")).isZero();
        return System.nanoTime() - begun;
    }

    /** Starts a command and sends it a signal. Returns true if it could clean up. */
    private boolean kill(List<String> words, String signal, long afterNs, String about) throws Exception {
        Path ready = dir.resolve("ready");
        Files.deleteIfExists(ready);
        Process process = command(words);
        process.waitFor(afterNs, TimeUnit.NANOSECONDS);
        List<ProcessHandle> below = process.descendants().toList();
        boolean over = !process.isAlive();
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        int exit = process.waitFor();
        String output = output("killed");
        String printed = Files.readString(dir.resolve("killed.out"));
        boolean unborn = !signal.equals("KILL") && output.startsWith(NO_MACHINE) && printed.isEmpty();
        assertThat(exit).as(about + ": " + output + printed).isIn(unborn ? 1 : 0, SIGNALS.get(signal));
        assertThat(unborn ? "" : output)
                .as(about)
                .doesNotContain("internal error", "Exception", "stage failed", "engine error", "sweep failed");
        for (ProcessHandle each : below) {
            each.onExit().get(1, TimeUnit.MINUTES);
        }
        if (isService(words.get(0)) && Files.exists(ready)) {
            refusesConnections(Files.readString(ready).strip(), about);
        }
        String how = over
                ? "over"
                : exit == 0 ? "finished" : output.contains("interrupted:") ? "said so" : unborn ? "unborn" : "silent";
        counts.merge(signal + " " + how, 1, Integer::sum);
        if (signal.equals("INT") || signal.equals("TERM")) {
            boolean isSweep = words.contains("-m");
            assertThat(output).as(about).doesNotContain(isSweep ? "starts it again" : "resumes from there");
        }
        return !signal.equals("KILL");
    }

    private static void refusesConnections(String address, String about) throws IOException {
        int port = Integer.parseInt(address.replaceAll(".*:(\\d+).*", "$1"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            throw new AssertionError(about + ": port " + socket.getPort() + " is still open");
        } catch (ConnectException closed) {
            // Expected.
        }
    }

    /**
     * Checks that every directory with the name of a run is a complete run. Without SIGKILL, there are no other files.
     */
    private void check(boolean isTidy, boolean isKilled, String about) throws IOException {
        Path tmp = dir.resolve("tmp");
        if (!Files.isDirectory(tmp)) {
            return;
        }
        Pipeline pipeline = new Pipeline(
                StageRegistry.standard(), Home.fromEnvironment().dir(), dir, PipelineListener.NONE, Clock.systemUTC());
        for (Path stage : list(tmp)) {
            String name = stage.getFileName().toString();
            if (name.startsWith(".") || name.equals("sweeps") || !Files.isDirectory(stage)) {
                continue;
            }
            for (Path run : list(stage)) {
                String id = run.getFileName().toString();
                if (id.startsWith(".")) {
                    // The next server removes the files of a killed server.
                    assertThat(isKilled || !isTidy || name.equals("serve_mock"))
                            .as(about + " left " + run)
                            .isTrue();
                } else {
                    assertThat(pipeline.sweeps().finished(run).runId())
                            .as(about)
                            .isEqualTo(id);
                }
            }
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        }
    }
}
