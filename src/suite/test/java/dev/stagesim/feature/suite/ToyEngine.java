package dev.stagesim.feature.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Process that follows its job: returns results, fails, exits, crashes, or never ends. */
public final class ToyEngine {
    private ToyEngine() {}

    /** Runs the job in the file. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String job = Files.readString(Path.of(args[0]));
        System.out.println("not an answer");
        System.out.println("{\"event\":\"step\",\"step\":1}");
        System.out.flush();
        switch (job) {
            case "fail" -> {
                System.out.println("{\"event\":\"failed\",\"why\":\"no such kernel\"}");
                System.exit(1);
            }
            case "die" -> {
                System.err.println("core dumped, in a manner of speaking");
                Runtime.getRuntime().halt(134);
            }
            case "crash" -> signal("SEGV");
            case "killed" -> signal("KILL");
            case "memory" -> System.out.println(new long[Integer.MAX_VALUE / 2].length);
            case "stay" -> new java.util.concurrent.CountDownLatch(1).await();
            default -> System.out.println("{\"event\":\"done\"}");
        }
    }

    /** Sends a signal to this process and waits for its termination. */
    private static void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder(
                        "kill",
                        "-" + name,
                        Long.toString(ProcessHandle.current().pid()))
                .start();
        new java.util.concurrent.CountDownLatch(1).await();
    }
}
