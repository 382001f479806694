package dev.stagesim.cli;

import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the engines there are, and where those are that are installed. */
@Command(name = "list", description = "List the engines there are, and where those are that are installed.")
final class EnginesListCommand extends Subcommand {
    private static final double BYTES_PER_MB = 1e6;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        if (json) {
            console()
                    .result(Json.compact(JsonValue.object()
                            .put(
                                    "engines",
                                    JsonValue.of(Engines.all().stream()
                                            .map(this::object)
                                            .toList()))
                            .build()));
            return ExitCode.DONE;
        }
        Table table = new Table().row("engine", "version", "size", "state", "what it is");
        for (Engine engine : Engines.all()) {
            table.row(
                    engine.name(),
                    engine.version(),
                    String.format(Locale.ROOT, "%.0f MB", engine.bytes() / BYTES_PER_MB),
                    state(engine),
                    engine.doc());
        }
        table.lines().forEach(console()::result);
        return ExitCode.DONE;
    }

    private String state(Engine engine) {
        Optional<Path> folder = store().installed(engine);
        if (folder.isPresent()) {
            return "installed in " + Home.shown(folder.get());
        }
        return engine.runsHere() ? "not installed" : "for " + engine.platform();
    }

    private JsonValue object(Engine engine) {
        return JsonValue.object()
                .put("name", engine.name())
                .put("version", engine.version())
                .put("bytes", engine.bytes())
                .put("runs_here", engine.runsHere())
                .put("doc", engine.doc())
                .putOrNull("dir", store().installed(engine).map(Path::toString))
                .build();
    }
}
