package dev.stagesim.verify.astra;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Collective and training runs, every number of every NPU. */
public final class AstraSuite implements Suite {
    @Override
    public String name() {
        return "astra";
    }

    @Override
    public String doc() {
        return "runs of ASTRA-sim's analytical simulators, every cycle count of every NPU on both backends; a folder"
                + " with cases/<case>/{case.json,expected.json,network.yml,system.json,memory.json,traces/}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        Path folder = corpus.resolve("cases");
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> cases;
        try (Stream<Path> entries = Files.list(folder)) {
            cases = entries.filter(entry -> Files.isRegularFile(entry.resolve("case.json")))
                    .sorted()
                    .toList();
        }
        for (Path path : cases) {
            results.accept(AstraCase.replay(path));
        }
    }
}
