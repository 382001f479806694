package dev.stagesim.cli;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.OptionalTool;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.run.ConfigOptions;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Predicts published measurements and reports the errors. */
@Command(
        name = "fidelity",
        description = "Predict every row of a folder of published measurements, and print the errors by group.",
        footer = {"", "Example: stage fidelity corpus=data/real --out tmp/fidelity"})
final class FidelityCommand extends Subcommand {
    private static final int PROGRESS_INTERVAL = 500;
    private static final String CORPUS = "corpus=";

    @Parameters(arity = "0..*", paramLabel = "KEY=VALUE", description = "corpus=DIR: folder of published measurements.")
    private List<String> words = List.of();

    @Option(names = "--json", description = "Print one JSON object instead of tables.")
    private boolean json;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Write every prediction (predictions.csv) and a page with a scatter plot (report.html) there.")
    private Optional<Path> out = Optional.empty();

    private final ConfigOptions config = new ConfigOptions();

    @Mixin
    final CommandSpec configSpec = config.spec();

    @Override
    public Integer call() throws IOException {
        FidelityTool tool = OptionalTool.load(FidelityTool.class, "fidelity", "stagesim-verify.jar");
        FidelityTool.Report report = tool.run(corpus(), config.engine(home()), done -> {
            if (done % PROGRESS_INTERVAL == 0) {
                console().info("predicted " + Count.of(done, "row"));
            }
        });
        if (out.isPresent()) {
            report.write(Files.createDirectories(out.get()));
        }
        if (json) {
            console().result(Json.compact(report.json()));
        } else {
            report.lines().forEach(console()::result);
        }
        return ExitCode.DONE;
    }

    private Path corpus() {
        if (words.size() == 1 && words.get(0).startsWith(CORPUS) && words.get(0).length() > CORPUS.length()) {
            return Path.of(words.get(0).substring(CORPUS.length()));
        }
        throw StageException.input(Problem.usage(String.join(" ", words), "expected corpus=DIR, and nothing else"));
    }
}
