package dev.stagesim.cli;

import dev.stagesim.bench.engine.Artifact;
import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.Subcommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Downloads an engine's jars, verifies their digests and installs them. */
@Command(
        name = "install",
        description = {
            "Download an engine's jars, verify their digests and install them for runs.",
            "Existing files are kept: the same command continues an interrupted installation.",
        })
final class EnginesInstallCommand extends Subcommand {
    private static final double BYTES_PER_MB = 1e6;
    private static final String CLEAR = "\r\u001b[K";
    private static final long REDRAW_BYTES = 1L << 20;

    private long drawn;

    @Parameters(paramLabel = "ENGINE", description = "Name of the engine: stage engines list.")
    private String name = "";

    @Option(
            names = "--repository",
            paramLabel = "URL|DIR",
            description =
                    "Address or directory of the Maven repository with the jars. Default: the local repository, then the"
                            + " mirror in the Maven settings or Maven Central.")
    private @Nullable String repository;

    @Override
    public Integer call() throws IOException {
        Engine engine = Engines.find(name);
        Optional<Path> installed = store().installed(engine);
        if (installed.isEmpty()) {
            console()
                    .info(String.format(
                            Locale.ROOT,
                            "downloading %s %s, %.0f MB ...",
                            engine.name(),
                            engine.version(),
                            engine.bytes() / BYTES_PER_MB));
        }
        Optional<String> from = Optional.ofNullable(repository)
                .or(() -> Optional.ofNullable(System.getenv("STAGESIM_MAVEN_REPOSITORY")));
        Path folder = installed.isPresent() ? installed.get() : store().install(engine, from, this::draw);
        if (console().live()) {
            console().err().print(CLEAR);
        }
        console()
                .info(engine.name() + " " + engine.version() + (installed.isPresent() ? " was already" : " is")
                        + " installed");
        console().result(Home.shown(folder));
        return ExitCode.DONE;
    }

    private void draw(Artifact artifact, long bytes) {
        if (console().live() && Math.abs(bytes - drawn) >= REDRAW_BYTES) {
            drawn = bytes;
            console()
                    .err()
                    .print(String.format(
                            Locale.ROOT,
                            "%s%s  %.0f of %.0f MB",
                            CLEAR,
                            artifact.file(),
                            bytes / BYTES_PER_MB,
                            artifact.bytes() / BYTES_PER_MB));
        }
    }
}
