package dev.stagesim.verify.astra;

import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

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
        for (Path path : CaseFolders.in(corpus.resolve("cases"))) {
            results.accept(AstraCase.replay(path));
        }
    }
}
