package dev.stagesim.pipeline;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** A browser application for the runs of a working directory. A feature provides the implementation. */
public interface WebApplication {
    /**
     * Settings of the application.
     *
     * @param home installation of the product, with {@code configs/} and the launcher {@code stage}
     * @param work working directory with {@code tmp/}
     * @param port port to listen on; 0 for any free port
     * @param allowRuns whether the page may start and stop runs
     */
    record Setting(Path home, Path work, int port, boolean allowRuns) {}

    /** The result of a command: its exit code, its output for programs, and its messages for the user. */
    record Answer(int code, String out, String err) {}

    /** Runs a command of the product in this process. */
    @FunctionalInterface
    interface Commands {
        Answer run(List<String> words);
    }

    /** An application that serves requests until it is closed. */
    interface Running extends AutoCloseable {
        /** Returns the address to open, including the access token. */
        URI address();

        @Override
        void close();
    }

    /** Opens the application. It serves requests when this method returns. */
    Running open(Setting setting, Commands commands) throws IOException;
}
