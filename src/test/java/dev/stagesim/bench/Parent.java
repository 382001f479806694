package dev.stagesim.bench;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A program that starts a child, says its number and those of what the child has started, and stays. */
public final class Parent {
    private Parent() {}

    /** Starts the command that its arguments are; the child says a line when it is up. */
    public static void main(String[] args) throws Exception {
        Process child = ChildProcesses.start(new ProcessBuilder(List.of(args)));
        String line = child.inputReader().readLine();
        System.out.println(child.pid() + " " + line);
        new CountDownLatch(1).await();
    }
}
