package dev.stagesim.pipeline.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads the commit and the state of the product checkout from git, in the background. */
public record GitState(CompletableFuture<RunMeta.Git> answer) {
    private static final int TIMEOUT_SECONDS = 5;

    /** Starts the query. The state of a home that is not a checkout is unknown. */
    public static GitState query(Path home) {
        boolean checkout = home.getFileSystem() == FileSystems.getDefault() && Files.exists(home.resolve(".git"));
        if (!checkout) {
            return new GitState(CompletableFuture.completedFuture(RunMeta.Git.UNKNOWN));
        }
        CompletableFuture<RunMeta.Git> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> answer.complete(status(home)), "git-status");
        thread.setDaemon(true);
        thread.start();
        return new GitState(answer);
    }

    public RunMeta.Git get() {
        return answer.completeOnTimeout(RunMeta.Git.UNKNOWN, TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private static RunMeta.Git status(Path home) {
        ProcessBuilder command = new ProcessBuilder(
                "git", "--no-optional-locks", "-C", home.toString(), "status", "--porcelain=v2", "--branch", "-uno");
        command.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = command.start();
            process.getOutputStream().close();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                return parse(lines);
            } finally {
                process.destroy();
            }
        } catch (IOException e) {
            return RunMeta.Git.UNKNOWN;
        }
    }

    /** Parses {@code git status --porcelain=v2 --branch}. */
    static RunMeta.Git parse(BufferedReader lines) throws IOException {
        String head = "# branch.oid ";
        String commit = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(head)) {
                commit = line.substring(head.length());
            } else if (!line.startsWith("#") && !commit.isEmpty()) {
                return new RunMeta.Git(commit, Optional.of(true));
            }
        }
        return commit.matches("[0-9a-f]{40,64}") ? new RunMeta.Git(commit, Optional.of(false)) : RunMeta.Git.UNKNOWN;
    }
}
