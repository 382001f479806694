package dev.stagesim.pipeline.store;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Descriptions of a deployment and its load; empty strings if absent.
 *
 * @param model name of the model
 * @param hardware number and name of the accelerators
 * @param engine name of the engine
 * @param workload requests, their lengths and their arrivals
 */
public record RunSubject(String model, String hardware, String engine, String workload) {
    /** No descriptions. */
    public static final RunSubject NONE = new RunSubject("", "", "", "");

    private static final int MAX_LENGTH = 200;

    /** Reads the conditions in a run's directory, or the first sentence of its summary if it has no conditions. */
    public static RunSubject of(String model, String hardware, Path dir) throws IOException {
        Path file = dir.resolve("conditions.json");
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return new RunSubject(model, hardware, "", cut(summary(dir.resolve("summary.md")), MAX_LENGTH));
        }
        LocatedJson conditions = Json.read(file);
        String load = conditions.text("load", "").replaceFirst("^arrivals: |: inter-arrival times .*", "");
        String requests = conditions.text("workload", "").replace(" tokens each", " tokens");
        String workload =
                Stream.of(requests, load).filter(part -> !part.isEmpty()).collect(Collectors.joining("; "));
        String devices = conditions.text("hardware", "");
        return new RunSubject(
                model,
                devices.isEmpty() ? hardware : devices,
                conditions.text("engine", "").replaceFirst("^(?:engine )?([^,]*).*", "$1"),
                cut(workload, MAX_LENGTH));
    }

    /** Returns the first sentence of a summary; empty if there is none. */
    private static String summary(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        }
        return InputFile.text(file)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .findFirst()
                .map(line -> line.replaceFirst("\\.( .*)?$", ""))
                .orElse("");
    }

    /** Returns the subject of a run; all parts are empty if it is not finished. */
    public static RunSubject of(RunSummary run) throws IOException {
        return run.meta().isEmpty()
                ? NONE
                : of(
                        run.meta().get().model().orElse(""),
                        run.meta().get().hardware().orElse(""),
                        run.dir());
    }

    /** Returns a text, or its beginning with an ellipsis if it is longer than {@code max}. */
    public static String cut(String text, int max) {
        return text.length() <= max ? text : text.substring(0, max - 1) + "…";
    }
}
