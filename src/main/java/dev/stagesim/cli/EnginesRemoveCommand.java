package dev.stagesim.cli;

import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes an engine. */
@Command(name = "remove", description = "Delete an engine and what an interrupted installation left.")
final class EnginesRemoveCommand implements Callable<Integer> {
    private final Console console;
    private final EngineStore store;

    @Parameters(paramLabel = "ENGINE", description = "Name of the engine: stage engines list.")
    private String name = "";

    @Mixin
    final CommonOptions common = new CommonOptions();

    EnginesRemoveCommand(Console console, EngineStore store) {
        this.console = console;
        this.store = store;
    }

    @Override
    public Integer call() throws IOException {
        Engine engine = Engines.find(name);
        console.say(engine.name() + (store.remove(engine) ? " is deleted" : " was not installed"));
        return ExitCode.DONE;
    }
}
