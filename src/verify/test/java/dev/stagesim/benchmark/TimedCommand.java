package dev.stagesim.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs a command to its end under GNU time. */
record TimedCommand(Path scratch) {
    /**
     * The cost of a command.
     *
     * @param cpu processor time of all threads, user and system, in s
     * @param wall elapsed time in s
     * @param megabytes maximum resident memory
     * @param printed last line on stdout
     */
    record Cost(double cpu, double wall, double megabytes, String printed) {}

    Cost run(List<String> command) throws IOException, InterruptedException {
        Path out = scratch.resolve("out.txt");
        Path err = scratch.resolve("err.txt");
        Path cost = scratch.resolve("cost.txt");
        List<String> timed = Stream.concat(
                        Stream.of("/usr/bin/time", "-o", cost.toString(), "-f", "%U %S %e %M"), command.stream())
                .toList();
        int exit = new ProcessBuilder(timed)
                .directory(scratch.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        if (exit != 0) {
            throw new AssertionError("exit " + exit + ": " + String.join(" ", command) + "\n" + Files.readString(err));
        }
        String[] cells = Files.readString(cost).strip().split(" ", -1);
        String printed =
                Files.readString(out).lines().reduce((first, last) -> last).orElse("");
        return new Cost(
                Double.parseDouble(cells[0]) + Double.parseDouble(cells[1]),
                Double.parseDouble(cells[2]),
                Double.parseDouble(cells[3]) / 1024,
                printed);
    }
}
