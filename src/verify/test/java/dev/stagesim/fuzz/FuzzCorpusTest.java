package dev.stagesim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs every harness with its seeds and with deterministic mutants of the seeds. For more inputs without the guidance
 * of {@link FuzzRun}, {@code -Dfuzz.mutants=N} and {@code -Dfuzz.random=N} set the numbers of mutants and of random
 * token sequences per harness, {@code -Dfuzz.only} selects harnesses (comma-separated), and {@code -Dfuzz.seed} selects
 * other inputs. {@link FuzzTarget} sets the time limit.
 */
class FuzzCorpusTest {
    private static final long MANY = Long.getLong("fuzz.mutants", 0);
    private static final long TOKENS = Long.getLong("fuzz.random", 0);
    private static final long SEED = Long.getLong("fuzz.seed", 0);
    private static final List<String> ONLY =
            List.of(System.getProperty("fuzz.only", "").split(",", -1));
    private static final int STRETCHED = 4096;
    private static final byte[] TELLING =
            "\0\t\n \"#$%&'()*+,-./019:;<=>?@[\\]^_`ae{|}~\u00ff\u20ac".getBytes(StandardCharsets.UTF_8);

    @TestFactory
    Stream<DynamicTest> readsOrRejectsSeedsAndMutants() {
        return corpora(2);
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> readsOrRejectsSeedsAndMoreMutants() {
        return corpora(10);
    }

    private static Stream<DynamicTest> corpora(int mutants) {
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : Harnesses.names()) {
            if (ONLY.contains("") || ONLY.contains(name)) {
                tests.add(DynamicTest.dynamicTest(name, () -> corpus(name, mutants)));
            }
        }
        return tests.stream();
    }

    @TestFactory
    Stream<DynamicTest> readsOrRejectsManyInputsInTime() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : Harnesses.names()) {
            if (MANY + TOKENS > 0 && (ONLY.contains("") || ONLY.contains(name))) {
                tests.add(DynamicTest.dynamicTest(name, () -> many(name)));
            }
        }
        return tests.stream();
    }

    /** Stores failing inputs in {@code target/fuzz} and continues, so that one run finds several faults. */
    private static void many(String name) throws IOException {
        Harness harness = Harnesses.named(name);
        List<byte[]> seeds = seeds(name);
        Random random = new Random(name.hashCode() + SEED);
        List<byte[]> pieces = pieces(seeds);
        Map<String, Path> failures = new TreeMap<>();
        for (long i = 0; i < MANY + TOKENS; i++) {
            byte[] input = i < MANY ? mutant(any(seeds, random), any(seeds, random), random) : joined(pieces, random);
            try {
                FuzzTarget.timed(harness, input);
                if (i % 512 == 0 && input.length > 0) {
                    FuzzTarget.timed(harness, FuzzTarget.stretched(input, 1 << 17));
                }
            } catch (RuntimeException | Error failure) {
                Path kept =
                        Files.createDirectories(Path.of("target", "fuzz", name)).resolve("failed-" + SEED + "-" + i);
                if (failures.putIfAbsent(what(failure), kept) == null) {
                    Files.write(kept, input);
                }
            }
        }
        System.out.println("fuzz " + name + ": " + (MANY + TOKENS) + " inputs, " + failures.size() + " faults");
        assertThat(failures).as(name).isEmpty();
    }

    /** Identifies a fault by its type and location. */
    private static String what(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        StackTraceElement[] stack = cause.getStackTrace();
        String where = Arrays.stream(stack)
                .filter(frame -> frame.getClassName().startsWith("dev.stagesim"))
                .findFirst()
                .map(StackTraceElement::toString)
                .orElse("?");
        String text = String.valueOf(cause).replaceAll("[0-9]+", "0");
        return text.substring(0, Math.min(120, text.length())) + " at " + where;
    }

    private static byte[] any(List<byte[]> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    /** Returns the words, numbers, punctuation and spaces of the seeds. */
    private static List<byte[]> pieces(List<byte[]> seeds) {
        TreeSet<String> pieces = new TreeSet<>();
        for (byte[] seed : seeds) {
            Matcher piece = PIECE.matcher(new String(seed, StandardCharsets.ISO_8859_1));
            while (piece.find() && pieces.size() < 20_000) {
                pieces.add(piece.group());
            }
        }
        return pieces.stream()
                .map(piece -> piece.getBytes(StandardCharsets.ISO_8859_1))
                .toList();
    }

    private static byte[] joined(List<byte[]> pieces, Random random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int n = random.nextInt(40); n > 0; n--) {
            if (random.nextInt(3) == 0) {
                out.write(TELLING[random.nextInt(TELLING.length)]);
            } else {
                out.writeBytes(any(pieces, random));
            }
        }
        return out.toByteArray();
    }

    private static final Pattern PIECE = Pattern.compile("[A-Za-z_]+|[0-9]+|\\s+|.");

    /** Text in encodings other than UTF-8 is rejected, or read correctly. */
    @TestFactory
    Stream<DynamicTest> readsOrRejectsOtherEncodings() {
        return encoded(List.of("UTF-16LE", "UTF-32BE"));
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> readsOrRejectsAllEncodings() {
        return encoded(List.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"));
    }

    private static Stream<DynamicTest> encoded(List<String> charsets) {
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : Harnesses.names()) {
            tests.add(DynamicTest.dynamicTest(name, () -> {
                for (byte[] seed : seeds(name)) {
                    String text = new String(seed, StandardCharsets.UTF_8);
                    for (String charset : charsets) {
                        FuzzTarget.read(Harnesses.named(name), text.getBytes(charset));
                        FuzzTarget.read(Harnesses.named(name), ("\uFEFF" + text).getBytes(charset));
                    }
                }
            }));
        }
        return tests.stream();
    }

    private static void corpus(String name, int mutants) throws IOException {
        Harness harness = Harnesses.named(name);
        List<byte[]> seeds = seeds(name);
        assertThat(seeds).as("seeds of %s", name).isNotEmpty();
        Random random = new Random(name.hashCode());
        for (byte[] seed : seeds) {
            FuzzTarget.read(harness, seed);
            if (seed.length > 0) {
                FuzzTarget.read(harness, FuzzTarget.stretched(seed, STRETCHED));
            }
            for (int i = 0; i < mutants; i++) {
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

    /** Joins the head of one seed and the tail of another, and changes some bytes. */
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
