package dev.stagesim.cli;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves the runs of the working directory to a browser on this machine. */
@Command(
        name = "studio",
        description = "Browse the runs below tmp/: search, compare, sweeps, forms for new runs.",
        footer = {
            "",
            "It listens only on this machine, and requires the access token in the printed address.",
            "Ctrl-C ends it. Runs are only read; with --allow-runs the page may also start and stop runs.",
        })
final class StudioCommand extends Subcommand {
    private static final int MAX_PORT = 65_535;

    @Option(names = "--port", paramLabel = "N", defaultValue = "0", description = "Port; 0 for any free port.")
    private int port;

    @Option(names = "--allow-runs", description = "Allow the page to start and stop runs.")
    private boolean allowRuns;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (port < 0 || port > MAX_PORT) {
            throw StageException.input(Problem.usage("--port " + port, "expected 0 to " + MAX_PORT));
        }
        WebApplication.Running studio = open(Feature.all(WebApplication.class).get(0));
        console().result(studio.address().toString());
        console().info("studio: open this address in a browser on this machine; Ctrl-C ends it");
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            studio.close();
                            Runtime.getRuntime().halt(ExitCode.DONE);
                        },
                        "close-studio"));
        new CountDownLatch(1).await();
        return ExitCode.DONE;
    }

    private WebApplication.Running open(WebApplication application) throws IOException {
        WebApplication.Setting setting = new WebApplication.Setting(home().dir(), Home.work(), port, allowRuns);
        try {
            return application.open(setting, words -> answer(home(), words));
        } catch (BindException e) {
            throw StageException.input(Problem.usage("--port " + port, "cannot be used: " + e.getMessage())
                    .hint("./stage studio takes any port that is free"));
        }
    }

    /** Runs another command in this process and captures its output. */
    static Answer answer(Home home, List<String> words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console kept = new Console(stream(out), stream(err), false, false);
        int code = new Cli(kept, home).run(words.toArray(String[]::new));
        return new Answer(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
