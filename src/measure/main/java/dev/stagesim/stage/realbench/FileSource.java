package dev.stagesim.stage.realbench;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A file of a benchmark tool, or a shipped recording. */
final class FileSource implements StageKind<RealBenchSettings> {
    @Override
    public Object choice() {
        return RealSettings.AUTO;
    }

    @Override
    public List<Path> reads(RealBenchSettings settings, Path home) throws IOException {
        return settings.real().file().isPresent()
                ? List.of(ShippedFiles.locate(settings.real().file().get(), home))
                : RecordingCatalog.at(home)
                        .of(settings.model().name(), settings.hardware().name())
                        .stream()
                        .map(RecordingCatalog.Entry::directory)
                        .toList();
    }

    @Override
    public List<String> ignoredSections(RealBenchSettings settings) {
        return List.of("endpoint", "engine", "scheduler", "cluster");
    }

    /** Without a file, the model and the hardware need a shipped recording. */
    @Override
    public void check(RealBenchSettings settings, Path home) throws IOException {
        RealSettings real = settings.real();
        if (real.file().isPresent()) {
            return;
        }
        if (sourceName(real).filter(name -> !name.equals("recorded")).isPresent()) {
            throw StageException.input(Problem.config(
                            "real.file",
                            "not set, but real.source=" + sourceName(real).orElseThrow() + " reads a file")
                    .hint("real.file=RESULT"));
        }
        RealBenchStage.options(real).refuse(true, true, "a recording contains one result and its arrivals");
        RecordingCatalog.at(home)
                .of(settings.model().name(), settings.hardware().name());
    }

    @Override
    public void run(RealBenchSettings settings, StageContext context) throws IOException {
        RealBenchStage.write(settings, measurement(settings, context), context);
    }

    private static Optional<String> sourceName(RealSettings real) {
        return Optional.of(real.source()).filter(name -> !name.equals(RealSettings.AUTO));
    }

    private static Measurement measurement(RealBenchSettings settings, StageContext context) throws IOException {
        RealSettings real = settings.real();
        if (real.file().isEmpty()) {
            return shipped(settings, context);
        }
        Path file = ShippedFiles.locate(real.file().get(), context.home());
        Measurement measurement = ResultFormats.read(file, sourceName(real), RealBenchStage.options(real));
        if (RealBenchStage.workloadDirectory(settings).isPresent()
                && measurement.requests().size() == 0) {
            unchecked(measurement, file, context);
        } else if (RealBenchStage.workloadDirectory(settings).isPresent()) {
            List<String> differences = WorkloadCheck.read(context.input(RealBenchStage.WORKLOAD))
                    .differences(measurement.requests(), real.arrivalTolerance());
            if (!differences.isEmpty()) {
                throw StageException.input(
                        notes(Problem.artifact(file.toString(), "does not measure the given workload"), differences)
                                .hint("leave workload.dir out: the run this makes is itself a workload.dir"));
            }
        }
        return measurement;
    }

    /** Aggregates contain no requests, so the given workload is the input of the simulation. */
    private static void unchecked(Measurement measurement, Path file, StageContext context) {
        if (!measurement.aggregatesOnly()) {
            throw StageException.input(
                    Problem.config("workload.dir", "has no effect: " + file + " contains no requests"));
        }
        context.warn("the file has only aggregates; cannot verify that they belong to workload.dir");
    }

    private static Measurement shipped(RealBenchSettings settings, StageContext context) throws IOException {
        RecordingCatalog catalog = RecordingCatalog.at(context.home());
        List<RecordingCatalog.Entry> candidates =
                catalog.of(settings.model().name(), settings.hardware().name());
        WorkloadCheck workload = WorkloadCheck.read(context.input(RealBenchStage.WORKLOAD));
        List<Measurement> found = new ArrayList<>();
        List<String> why = new ArrayList<>();
        for (RecordingCatalog.Entry entry : candidates) {
            Measurement measurement = ResultFormats.read(
                    entry.directory(), Optional.of("recorded"), RealBenchStage.options(settings.real()));
            List<String> differences =
                    workload.differences(measurement.requests(), settings.real().arrivalTolerance());
            if (differences.isEmpty()) {
                found.add(measurement);
            } else {
                differences.forEach(difference -> why.add(entry.name() + ": " + difference));
            }
        }
        if (found.isEmpty()) {
            throw StageException.input(
                    notes(catalog.none("no recording of this model and hardware is of this workload"), why)
                            .hint("workload=" + candidates.get(0).workload() + " is the workload of "
                                    + candidates.get(0).name()));
        }
        return found.get(0);
    }

    private static Problem notes(Problem problem, List<String> lines) {
        Problem all = problem;
        for (String line : lines) {
            all = all.note("differs", line);
        }
        return all;
    }

    /** The recordings shipped with the product, under {@code configs/recordings/}, in order of name. */
    private record RecordingCatalog(List<Entry> entries) {
        private static final String DESCRIPTION = "recording.json";

        /**
         * One recording.
         *
         * @param directory directory of the recording
         * @param hardware measured hardware
         * @param workload workload option with the measured requests
         */
        record Entry(Path directory, String model, String hardware, String workload) {
            String name() {
                return directory.getFileName().toString();
            }

            String describe() {
                return name() + " (" + model + " on " + hardware + ", workload=" + workload + ")";
            }
        }

        static RecordingCatalog at(Path home) throws IOException {
            Path root = home.resolve("configs").resolve("recordings");
            List<Entry> entries = new ArrayList<>();
            if (Files.isDirectory(root)) {
                for (Path directory : Directories.list(root, entry -> Files.exists(entry.resolve(DESCRIPTION)))) {
                    LocatedJson json = Json.read(directory.resolve(DESCRIPTION));
                    entries.add(new Entry(
                            directory,
                            json.get("model").asString(),
                            json.get("hardware").asString(),
                            json.get("workload").get("option").asString()));
                }
            }
            return new RecordingCatalog(entries);
        }

        /** Returns the recordings of a model on a hardware. It is an input error if there are none. */
        List<Entry> of(String model, String hardware) {
            List<Entry> found = entries.stream()
                    .filter(e -> e.model().equals(model) && e.hardware().equals(hardware))
                    .toList();
            if (found.isEmpty()) {
                throw StageException.input(
                        none("there is no recording of model " + model + " on hardware " + hardware));
            }
            return found;
        }

        /** Returns the error that no recording matches, with the available recordings. */
        Problem none(String what) {
            Problem problem = Problem.config("real.file", what);
            for (Entry entry : entries) {
                problem = problem.note("recording", entry.describe());
            }
            return problem.hint("give a measurement with real.file=FILE, or a finished run with real.dir=DIR");
        }
    }
}
