package dev.stagesim.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Walks the paths that commands usually take, so that the launcher can put their classes into its archive.
 *
 * <p>Writes runs into the working directory; the launcher gives it one of its own.
 */
final class WarmUp {
    private static final List<String> LINES = List.of(
            "--help",
            "--version",
            "compare --help",
            "complete compare model=q",
            "complete compare --c",
            "config parse --json a=1",
            "compare --cfg job --resolve",
            "compare --info all",
            "compare model=qwem3",
            "compare",
            "compare",
            "vidur_sim -m --dry-run scheduler=vllm,sarathi",
            "vidur_sim workload.num_requests=20 --json",
            "workload workload=chakra_all_reduce",
            "astra_sim",
            "scale_sim",
            "runs list",
            "runs show nope");

    private WarmUp() {}

    static int run(Home home) {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Console silent = new Console(nowhere, nowhere, false, false);
        for (String line : LINES) {
            new Cli(silent, home).run(line.split(" ", -1));
        }
        return ExitCode.DONE;
    }
}
