package dev.stagesim.io.measured.serving;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.JsonFacts;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.model.Count;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * JSON of {@code vllm bench serve}: one object, several objects appended to one file, or the directory of a {@code vllm
 * bench sweep}.
 *
 * <p>Scalars are in ms and arrays in s. Failed requests are in the arrays but not in the aggregates.
 */
public final class VllmFormat extends ResultFormat {
    public VllmFormat() {
        super("vllm", "JSON of vllm bench serve --save-result --save-detailed, or the directory of a vllm bench sweep");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.isDirectory()
                ? Unchecked.get(() -> VllmSweep.recognises(file.path()))
                : file.first().filter(VllmSweep::isResult).isPresent();
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        if (!Files.isDirectory(file)) {
            return VllmResult.measurement(ResultSelector.pick(file, options, VllmFormat::label), options);
        }
        VllmSweep sweep = VllmSweep.of(file);
        LocatedJson result = ResultSelector.pick(
                sweep.results(), file.toString(), options, at -> sweep.label(at) + VllmFormat.label(at));
        Measurement measurement = VllmResult.measurement(result, options);
        return sweep.failures() == 0
                ? measurement
                : measurement.warned(Count.of(sweep.failures(), "run") + " of the sweep failed and left no result");
    }

    private static String label(LocatedJson result) {
        String date = result.text("date", "no date");
        String rate = result.find("request_rate")
                .map(at -> Json.compact(JsonFacts.finite(at.value())))
                .orElse("unknown");
        return " (" + date + ", request_rate " + rate + ")";
    }

    /**
     * The results in a directory of {@code vllm bench sweep}: one file {@code run=N.json} per run and combination of parameters.
     * Summaries, which repeat the results, and warm-ups are ignored. Failures are only counted.
     */
    private static final class VllmSweep {
        private static final int DEPTH = 4;
        private static final long MAX_PROBED_BYTES = 64L << 20;
        private static final String PYTORCH = ".pytorch.json";

        private final Path directory;
        private final List<LocatedJson> results = new ArrayList<>();
        private int failures;

        private VllmSweep(Path directory) {
            this.directory = directory;
        }

        /** Reads all results below a directory, in order of path. */
        static VllmSweep of(Path directory) throws IOException {
            VllmSweep sweep = new VllmSweep(directory);
            for (Path file : sweep.files()) {
                sweep.add(file);
            }
            return sweep;
        }

        /** Returns true if the directory contains a result. */
        static boolean recognises(Path directory) throws IOException {
            for (Path file : new VllmSweep(directory).files()) {
                // larger files are traces of other tools
                if (Files.size(file) <= MAX_PROBED_BYTES
                        && FormatProbe.at(file)
                                .first()
                                .filter(VllmSweep::isResult)
                                .isPresent()) {
                    return true;
                }
            }
            return false;
        }

        private List<Path> files() throws IOException {
            try (Stream<Path> all = Files.walk(directory, DEPTH)) {
                return all.filter(Files::isRegularFile)
                        .filter(file -> {
                            String name = file.getFileName().toString();
                            return name.endsWith(".json")
                                    && !name.endsWith(PYTORCH)
                                    && !name.equals("summary.json")
                                    && !name.equals("warmup.json");
                        })
                        .sorted()
                        .toList();
            }
        }

        private void add(Path file) throws IOException {
            if (file.getFileName().toString().endsWith("failure.json")) {
                failures++;
                return;
            }
            try {
                ResultFile.documents(file).stream().filter(VllmSweep::isResult).forEach(results::add);
            } catch (StageException e) {
                if (file.getFileName().toString().startsWith("run=")) {
                    throw e;
                }
                // the file of another tool
            }
        }

        static boolean isResult(LocatedJson json) {
            return json.isObject() && json.has("model_id") && (json.has("num_prompts") || json.has("completed"));
        }

        List<LocatedJson> results() {
            return results;
        }

        /** Returns the number of failed runs. */
        int failures() {
            return failures;
        }

        /** Returns the place of a result in the directory, with the number of its run. */
        String label(LocatedJson result) {
            String where = result.source().replaceAll(":\\d+$", "");
            String below = where.startsWith(directory + "/")
                    ? where.substring(directory.toString().length() + 1)
                    : where;
            Optional<LocatedJson> run = result.find("run_number");
            return " (" + below + run.map(at -> ", run " + JsonFacts.text(at)).orElse("") + ")";
        }
    }
}
