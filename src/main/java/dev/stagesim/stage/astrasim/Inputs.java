package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.GroupFiles;
import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.CommGroups;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Finds traces and groups: those that settings name, else those of the workload's run. */
final class Inputs {
    static final String WORKLOAD = "workload";
    private static final String GROUPS = "comm_groups.json";
    private static final String FIRST = ".0.et";

    private final AstraSimSettings settings;
    private final StageContext context;

    Inputs(AstraSimSettings settings, StageContext context) {
        this.settings = settings;
        this.context = context;
    }

    /** Prefix of the traces. */
    Path prefix() throws IOException {
        Optional<Path> given = settings.trace().prefix();
        return given.isPresent() ? Located.prefix(given.get(), context.home()) : prefix(context.input(WORKLOAD));
    }

    private static Path prefix(RunInput run) throws IOException {
        TreeSet<Path> prefixes = new TreeSet<>();
        try (Stream<Path> files = Files.walk(run.dir())) {
            files.filter(file -> file.getFileName() != null)
                    .filter(file -> file.getFileName().toString().endsWith(FIRST))
                    .forEach(file -> prefixes.add(prefixOf(file)));
        }
        if (prefixes.isEmpty()) {
            throw StageException.input(Problem.of(
                            "artifact error", run.dir().toString(), "the workload has no execution traces (*.0.et)")
                    .hint("a workload of the kind chakra_generate, chakra_text or chakra_pytorch has"));
        }
        if (prefixes.size() > 1) {
            List<String> options =
                    prefixes.stream().map(path -> "trace.prefix=" + path).toList();
            throw StageException.input(Problem.of(
                            "artifact error",
                            run.dir().toString(),
                            "the workload has " + prefixes.size() + " sets of traces; name one")
                    .options(options));
        }
        return prefixes.first();
    }

    private static Path prefixOf(Path file) {
        String name = file.getFileName().toString();
        return file.resolveSibling(name.substring(0, name.length() - FIRST.length()));
    }

    /** The groups: those of the file that was named, else those of the workload. */
    CommGroups groups(int npus) throws IOException {
        Optional<Path> given = settings.groups().file();
        if (given.isPresent()) {
            return GroupFiles.read(Located.at(given.get(), context.home()), npus);
        }
        if (settings.trace().prefix().isEmpty()) {
            RunInput run = context.input(WORKLOAD);
            if (run.has(GROUPS)) {
                return GroupFiles.read(run.file(GROUPS), npus);
            }
        }
        return CommGroups.NONE;
    }

    /** The files of all NPUs' traces, for settings that name a prefix. */
    static List<Path> traceFiles(Path prefix, int npus) {
        return TraceFiles.files(prefix, npus);
    }
}
