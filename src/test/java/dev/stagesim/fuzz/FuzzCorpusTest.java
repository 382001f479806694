package dev.stagesim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Reads every seed of every harness, and inputs made from the seeds: the same ones each time. */
class FuzzCorpusTest {
    private static final int MUTANTS = 40;
    private static final int STRETCHED = 4096;
    private static final byte[] TELLING = "\0\t\n \"#$%&'()*+,-./019:;<=>?@[\\]^_`ae{|}~\u00ff\u20ac"
            .getBytes(java.nio.charset.StandardCharsets.UTF_8);

    @TestFactory
    Stream<DynamicTest> seedsAndTheirMutantsAreReadOrRefused() {
        List<DynamicTest> tests = new ArrayList<>();
        Harnesses.names().forEach(name -> tests.add(DynamicTest.dynamicTest(name, () -> corpus(name))));
        return tests.stream();
    }

    private static void corpus(String name) throws IOException {
        Harness harness = Harnesses.named(name);
        List<byte[]> seeds = seeds(name);
        assertThat(seeds).as("seeds of %s", name).isNotEmpty();
        Random random = new Random(name.hashCode());
        for (byte[] seed : seeds) {
            FuzzTarget.read(harness, seed);
            if (seed.length > 0) {
                FuzzTarget.read(harness, FuzzTarget.stretched(seed, STRETCHED));
            }
            for (int i = 0; i < MUTANTS; i++) {
                FuzzTarget.read(harness, mutant(seed, seeds.get(random.nextInt(seeds.size())), random));
            }
        }
    }

    private static List<byte[]> seeds(String name) throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        try (Stream<Path> files = Files.list(Harnesses.corpus(name))) {
            for (Path file : files.sorted().toList()) {
                seeds.add(Files.readAllBytes(file));
            }
        }
        return seeds;
    }

    /** The head of one seed and the tail of another, with some bytes changed. */
    private static byte[] mutant(byte[] seed, byte[] other, Random random) {
        int head = random.nextInt(seed.length + 1);
        int tail = random.nextBoolean() ? Math.min(head, other.length) : random.nextInt(other.length + 1);
        byte[] mutant = Arrays.copyOf(seed, head + other.length - tail);
        System.arraycopy(other, tail, mutant, head, other.length - tail);
        for (int changes = random.nextInt(4); changes > 0 && mutant.length > 0; changes--) {
            mutant[random.nextInt(mutant.length)] = TELLING[random.nextInt(TELLING.length)];
        }
        return mutant;
    }
}
