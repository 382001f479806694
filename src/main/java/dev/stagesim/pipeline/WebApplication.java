package dev.stagesim.pipeline;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** An application over the runs of a working directory that a feature adds, used in a browser on this machine. */
public interface WebApplication {
    /**
     * What it is opened with.
     *
     * @param home installation of the product, with {@code configs/} and the launcher {@code stage}
     * @param work working directory, with {@code tmp/} in it
     * @param port port to listen on; 0 for any that is free
     * @param allowRuns whether the page may start and stop runs
     */
    record Setting(Path home, Path work, int port, boolean allowRuns) {}

    /** What a command of the product came to: its exit code, what it printed, and what it said to people. */
    record Answer(int code, String out, String err) {}

    /** Runs a command of the product in this process. */
    @FunctionalInterface
    interface Commands {
        Answer run(List<String> words);
    }

    /** An application that listens until it is closed. */
    interface Running extends AutoCloseable {
        /** The address to open, with what lets in whoever has it. */
        URI address();

        @Override
        void close();
    }

    /** Opens it; it answers when this returns. */
    Running open(Setting setting, Commands commands) throws IOException;
}
