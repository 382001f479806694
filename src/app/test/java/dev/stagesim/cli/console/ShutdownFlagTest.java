package dev.stagesim.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that start during a shutdown print nothing, and the exit code is the signal's. */
@Tag("acceptance")
final class ShutdownFlagTest {
    private static final int SIGNALLED = 130;

    @TempDir
    private Path dir;

    /** Starts a shutdown, and runs a command until it reaches its end. */
    public static final class Ended {
        private Ended() {}

        public static void main(String[] args) throws InterruptedException {
            Thread command = Thread.currentThread();
            CountDownLatch ending = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                ending.countDown();
                while (Arrays.stream(command.getStackTrace())
                        .noneMatch(frame -> frame.getClassName().equals(ShutdownFlag.class.getName())
                                || frame.getClassName().equals("java.lang.Shutdown"))) {
                    Thread.onSpinWait();
                }
            }));
            new Thread(() -> System.exit(SIGNALLED)).start();
            ending.await();
            Main.main(args);
        }
    }

    @Test
    void printsNothingWhenStartedDuringAShutdown() throws Exception {
        for (String line : List.of(
                "workload workload.num_requests=5",
                "workload -m workload.num_requests=5,6",
                "fabric -m sweeper=capacity",
                "runs list",
                "workload --nope")) {
            List<String> command = ChildJava.command(
                    Ended.class,
                    "-Xmx256m",
                    "-Dstagesim.home=" + Home.fromEnvironment().dir());
            command.addAll(List.of(line.split(" ")));
            Path err = dir.resolve("err");
            Process process = new ProcessBuilder(command)
                    .directory(dir.toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(err.toFile())
                    .start();
            assertThat(process.waitFor()).as(line).isEqualTo(SIGNALLED);
            assertThat(Files.readString(err)).as(line).doesNotContain("internal error", "Exception");
        }
        assertThat(dir.resolve("tmp/workload")).doesNotExist();
    }
}
