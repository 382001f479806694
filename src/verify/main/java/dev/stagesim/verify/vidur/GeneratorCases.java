package dev.stagesim.verify.vidur;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.RandomSource;
import dev.stagesim.sim.core.Variates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** Replays every JSON file below {@code generators/} of a corpus: request generators and raw random vectors. */
final class GeneratorCases {
    /**
     * Outcome of one file.
     *
     * @param id file name without extension
     * @param compared number of compared values
     * @param why differences, at most a few; empty if reproduced or deviating as documented
     * @param deviation the documented rule that applied, or empty
     */
    record Result(String id, long compared, List<String> why, String deviation) {
        Result {
            why = List.copyOf(why);
        }

        boolean passed() {
            return why.isEmpty() && (compared > 0 || !deviation.isEmpty());
        }
    }

    private GeneratorCases() {}

    /** Replays the files in order of name and reports each result at once. */
    static void run(Path corpus, Consumer<Result> results) throws IOException {
        for (Path file : Directories.list(
                corpus.resolve("generators"), file -> file.toString().endsWith(".json"))) {
            results.accept(replay(file));
        }
    }

    static Result replay(Path file) throws IOException {
        String name = file.getFileName().toString();
        String id = name.substring(0, name.length() - ".json".length());
        LocatedJson root = Json.read(file);
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

    /** Checks raw draws of Python's and numpy's generators against vectors printed by them. */
    private static final class RandomVectors {
        private static final int SEED = 42;
        /** The shape parameter for a coefficient of variation of 3. */
        private static final double SHAPE_OF_CV_3 = 1.0 / 9;

        private final List<String> differences = new ArrayList<>();
        private final List<String> seen = new ArrayList<>();
        private long compared;

        private RandomVectors() {}

        /** Several named vectors in one file; absent ones are skipped. */
        static RandomVectors named(LocatedJson root) {
            RandomVectors vectors = new RandomVectors();
            Mt19937 python = Mt19937.pythonSeed(SEED);
            Variates variates = new Variates(Mt19937.numpySeed(SEED));
            RandomSource sample = Mt19937.numpySeed(SEED);
            Mt19937 integers = Mt19937.numpySeed(SEED);
            vectors.check(root, "python_seed42_random", python::nextDouble);
            vectors.check(root, "python_seed42_then_randint_1_4", () -> python.between(1, 4));
            vectors.check(root, "numpy_seed42_standard_gamma_4", () -> variates.gamma(4.0));
            vectors.check(root, "numpy_seed42_then_standard_gamma_0_111", () -> variates.gamma(SHAPE_OF_CV_3));
            vectors.check(root, "randomstate42_random_sample", sample::nextDouble);
            vectors.check(root, "randomstate42_randint_2147483647", () -> integers.masked(Integer.MAX_VALUE - 1));
            vectors.permutation(root);
            vectors.unknown(root);
            return vectors;
        }

        /** Fifty draws each of {@code randint(0, n - 1)} for n = 2, 3, 4, 8, from one stream. */
        static RandomVectors integers(LocatedJson root) {
            RandomVectors vectors = new RandomVectors();
            Mt19937 python = Mt19937.pythonSeed(SEED);
            int[] bounds = {2, 3, 4, 8};
            int[] at = {0};
            vectors.compare("draws", root.asDoubles(), () -> python.below(bounds[Math.min(3, at[0]++ / 50)]));
            return vectors;
        }

        private void permutation(LocatedJson root) {
            String name = "randomstate42_permutation_20";
            if (root.has(name)) {
                double[] expected = root.get(name).asDoubles();
                int[] order = Mt19937.numpySeed(SEED).permutation(expected.length);
                int[] at = {0};
                compare(name, expected, () -> order[at[0]++]);
            }
        }

        private void unknown(LocatedJson root) {
            for (Map.Entry<String, LocatedJson> member : root.members().entrySet()) {
                if (!seen.contains(member.getKey())) {
                    differences.add("no check for the vector " + member.getKey());
                }
            }
        }

        private void check(LocatedJson root, String name, DoubleSupplier draws) {
            if (root.has(name)) {
                compare(name, root.get(name).asDoubles(), draws);
            }
        }

        private void compare(String name, double[] expected, DoubleSupplier draws) {
            seen.add(name);
            for (int i = 0; i < expected.length; i++) {
                double drawn = draws.getAsDouble();
                compared++;
                if (drawn != expected[i]) {
                    differences.add(name + "[" + i + "]: expected " + expected[i] + ", got " + drawn);
                }
            }
        }

        List<String> differences() {
            return differences;
        }

        long compared() {
            return compared;
        }
    }
}
