package dev.stagesim.cli;

import dev.stagesim.stage.Jvm;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Walks the paths that commands usually take, so that the launcher can put their classes into its archives.
 *
 * <p>Writes runs into the working directory; the launcher gives it one of its own.
 */
final class WarmUp {
    /** The argument that asks for it; {@code --warm-up-lean} walks the runs of {@link Jvm#LEAN} alone. */
    static final String FLAG = "--warm-up";

    private static final String LEAN = FLAG + "-lean";
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
            "astra_sim network=packet_star_8",
            "scale_sim",
            "runs list",
            "runs show nope");

    private WarmUp() {}

    static boolean isAsked(String... args) {
        return args.length == 1 && (args[0].equals(FLAG) || args[0].equals(LEAN));
    }

    static int run(Home home, String flag) {
        if (flag.equals(LEAN)) {
            collectives(home);
        } else {
            LINES.forEach(line -> result(home, line));
        }
        return ExitCode.DONE;
    }

    /** A run of generated traces, and one of the files that it wrote, with every NPU. */
    private static void collectives(Home home) {
        String traces = result(home, "workload workload=chakra_all_reduce");
        String made = result(home, "astra_sim");
        String files = made + "/reference/";
        result(
                home,
                "astra_sim workload.dir=" + traces + " system=file system.file=" + files
                        + "system.json network=file network.topology.file=" + files
                        + "network.yml memory=file memory.file="
                        + files + "memory.json compat=astra simulation.symmetry=false");
    }

    private static String result(Home home, String line) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        PrintStream kept = new PrintStream(out, true, StandardCharsets.UTF_8);
        new Cli(new Console(kept, nowhere, false, false), home).run(line.split(" ", -1));
        return out.toString(StandardCharsets.UTF_8).strip();
    }
}
