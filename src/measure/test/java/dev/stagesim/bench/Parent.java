package dev.stagesim.bench;

import dev.stagesim.bench.engine.ChildProcesses;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A program that starts a child, prints its process id and those of its descendants, and keeps running. */
public final class Parent {
    private Parent() {}

    /** Starts the command in its arguments. The child prints a line when it is ready. */
    public static void main(String[] args) throws Exception {
        Process child = ChildProcesses.start(new ProcessBuilder(List.of(args)));
        String line = child.inputReader().readLine();
        System.out.println(child.pid() + " " + line);
        new CountDownLatch(1).await();
    }
}
