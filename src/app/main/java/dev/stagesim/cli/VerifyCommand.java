package dev.stagesim.cli;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.OptionalTool;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replays a corpus of recorded cases and reports which are reproduced exactly. */
@Command(
        name = "verify",
        description = "Replay recorded cases of a reference and report which are reproduced exactly.",
        footer = {"", "Example: stage verify suite=hydra corpus=tests-data/hydra"})
final class VerifyCommand extends Subcommand {
    private static final List<String> KEYS = List.of("corpus", "suite");

    @Parameters(
            arity = "0..*",
            paramLabel = "KEY=VALUE",
            description = "suite=NAME: verification suite; corpus=DIR: folder of recorded cases.")
    private List<String> words = List.of();

    @Option(names = "--json", description = "Print one JSON object instead of lines.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        SuiteRunner suites = OptionalTool.load(SuiteRunner.class, "verify", "stagesim-verify.jar");
        Map<String, String> values = values();
        String suite = need(values, "suite", suites.names());
        Path corpus = Path.of(need(values, "corpus", List.of()));
        SuiteRunner.Report report = suites.run(suite, corpus);
        if (json) {
            console().result(Json.compact(report.json()));
        } else {
            report.lines().forEach(console()::result);
        }
        report.check();
        return ExitCode.DONE;
    }

    private Map<String, String> values() {
        Map<String, String> values = new TreeMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            String key = equals < 0 ? word : word.substring(0, equals);
            if (equals < 0 || !KEYS.contains(key)) {
                throw StageException.input(
                        Problem.usage(word, "expected suite=NAME or corpus=DIR").didYouMean(Suggest.near(key, KEYS)));
            }
            if (values.put(key, word.substring(equals + 1)) != null) {
                throw StageException.input(Problem.usage(word, key + " is given twice"));
            }
        }
        return values;
    }

    private static String need(Map<String, String> values, String key, List<String> options) {
        @Nullable String value = values.get(key);
        if (value == null || value.isEmpty()) {
            throw StageException.input(
                    Problem.usage(key, "is missing, expected " + key + "=...").options(options));
        }
        return value;
    }
}
