package dev.stagesim.verify.training;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A corpus with a folder for each case under {@code cases/}, and what was expected in {@code expected.json}. */
abstract class TrainingSuite implements Suite {
    private static final String EXPECTED = "expected.json";

    private final String name;
    private final String doc;

    TrainingSuite(String name, String doc) {
        this.name = name;
        this.doc = doc;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String doc() {
        return doc + "; a folder with cases/<case>/" + EXPECTED + ".";
    }

    @Override
    public final void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        CaseFolders.replay(name, folders(corpus), this::replay, results);
    }

    private CaseResult replay(Path folder) throws IOException {
        Expectation expected = new Expectation(read(folder, EXPECTED));
        replay(folder, expected);
        return expected.result(name, folder.getFileName().toString());
    }

    /** True if the folder is a case of the suite. */
    boolean isCase(Path folder) {
        return true;
    }

    /** Replays the case and tells {@code expected} what came out. */
    abstract void replay(Path folder, Expectation expected) throws IOException;

    static JsonAt read(Path folder, String file) throws IOException {
        return Json.read(folder.resolve(file), JsonMode.NON_FINITE);
    }

    private List<Path> folders(Path corpus) throws IOException {
        Path cases = Files.isDirectory(corpus.resolve("cases")) ? corpus.resolve("cases") : corpus;
        try (Stream<Path> entries = Files.list(cases)) {
            return entries.filter(entry -> Files.isRegularFile(entry.resolve(EXPECTED)) && isCase(entry))
                    .sorted()
                    .toList();
        }
    }
}
