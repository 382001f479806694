package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Replays every JSON file below {@code generators/} of a corpus: request generators and raw random vectors. */
final class GeneratorCases {
    /**
     * What came of one file.
     *
     * @param id file name without ending
     * @param compared values compared
     * @param why differences, at most a few; empty when reproduced or deviating as documented
     * @param deviation the documented rule that applied; empty for none
     */
    public record Result(String id, long compared, List<String> why, String deviation) {
        public Result {
            why = List.copyOf(why);
        }

        public boolean passed() {
            return why.isEmpty() && (compared > 0 || !deviation.isEmpty());
        }
    }

    private GeneratorCases() {}

    /** Replays the files in order of name, handing each result on as it is known. */
    public static void run(Path corpus, Consumer<Result> results) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(corpus.resolve("generators"))) {
            files = all.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            results.accept(replay(file));
        }
    }

    static Result replay(Path file) throws IOException {
        String name = file.getFileName().toString();
        String id = name.substring(0, name.length() - ".json".length());
        JsonAt root = Json.read(file);
        if (name.startsWith("rng_")) {
            return vectors(id, RandomVectors.named(root));
        }
        if (name.startsWith("randint_")) {
            return vectors(id, RandomVectors.integers(root));
        }
        GeneratorCase replayed = GeneratorCase.of(file, root);
        List<String> differences = replayed.differences();
        String rule = replayed.isScrambled() ? GeneratorCase.SCRAMBLE_RULE : "";
        return new Result(id, replayed.compared(), differences, rule);
    }

    private static Result vectors(String id, RandomVectors vectors) {
        return new Result(id, vectors.compared(), vectors.differences(), "");
    }
}
