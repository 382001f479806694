package dev.stagesim.stage.realbench;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.SuiteSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutates one value of a measured file of every format and runs the stage. The stage rejects the file as the user's error, or
 * all values that it writes are within physical limits.
 */
class MutatedMeasurementsTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));
    private static final double YEAR_NS = 365.0 * 86_400 * 1e9;
    private static final int MAX_SHOWN = 20;
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?");
    private static final List<String> VALUES = List.of(
            "1e308",
            "-1e308",
            "NaN",
            "Infinity",
            "-1",
            "0",
            "1e18",
            "9223372036854775807",
            "-9223372036854775808",
            "1e-300",
            "null",
            "\"\"");

    private final RealBenchStage stage = new RealBenchStage();
    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/fuzz");

    /** The results of the mutants of one format. */
    private static final class Counts {
        private int rejected;
        private int accepted;
    }

    @Test
    void rejectsOrReadsAMutatedFile() throws IOException {
        mutate(150, 40);
    }

    /**
     * The options {@code -Dstagesim.mutants=N}, {@code -Dstagesim.mutants.seed=S} and {@code -Dstagesim.mutants.of=NAME} select the
     * number of mutants, the seed and one file.
     */
    @Test
    @Tag("long")
    void rejectsOrReadsManyMutatedFiles() throws IOException {
        Map<String, Counts> all =
                mutate(Integer.getInteger("stagesim.mutants", 3000), Long.getLong("stagesim.mutants.seed", 41));
        all.forEach((format, counts) ->
                System.out.println(format + ": " + counts.rejected + " rejected, " + counts.accepted + " accepted"));
    }

    private Map<String, Counts> mutate(int mutants, long seed) throws IOException {
        Random random = new Random(seed);
        Map<String, Counts> all = new TreeMap<>();
        String only = System.getProperty("stagesim.mutants.of", "");
        List<Path> seeds = seeds();
        seeds.removeIf(path -> !path.toString().contains(only));
        List<AssertionError> failures = new ArrayList<>();
        for (int i = 0; i < mutants; i++) {
            Path original = seeds.get(i % seeds.size());
            List<Path> parts = files(original);
            Path part = parts.get(random.nextInt(parts.size()));
            byte[] content = Files.readAllBytes(part);
            byte[] mutant = mutant(part, content, random);
            Counts counts = all.computeIfAbsent(original.getFileName().toString(), name -> new Counts());
            Path dir = Files.createDirectories(root.resolve(String.valueOf(i)));
            Path file = dir.resolve(original.getFileName().toString());
            for (Path other : parts) {
                Path copy = file.resolve(original.relativize(other).toString()).normalize();
                Files.createDirectories(copy.getParent());
                Files.write(copy, other.equals(part) ? mutant : Files.readAllBytes(other));
            }
            String what = original.getFileName() + ", mutant " + i + " of " + part.getFileName() + " of seed " + seed
                    + ":\n" + difference(content, mutant);
            try {
                boolean isAccepted = accepts(file, dir, i % 2, what);
                counts.accepted += isAccepted ? 1 : 0;
                counts.rejected += isAccepted ? 0 : 1;
            } catch (AssertionError e) {
                failures.add(e);
            }
            delete(dir);
        }
        if (!failures.isEmpty()) {
            AssertionError wrong = new AssertionError(failures.size() + " of " + mutants + " mutants");
            failures.stream().limit(MAX_SHOWN).forEach(wrong::addSuppressed);
            throw wrong;
        }
        return all;
    }

    /** Returns the files of a directory, or the file itself. */
    private static List<Path> files(Path original) throws IOException {
        try (Stream<Path> all = Files.walk(original)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Runs the stage; for one entry if the file contains several. */
    private boolean accepts(Path file, Path dir, int entry, String what) throws IOException {
        try {
            run(file, dir.resolve("out"), Optional.empty(), what);
            return true;
        } catch (StageException e) {
            if (!e.getMessage().contains("real.entry")) {
                assertThat(e.kind().exitCode()).as(what).isEqualTo(2);
                return false;
            }
        }
        try {
            run(file, dir.resolve("entry"), Optional.of(entry), what);
            return true;
        } catch (StageException e) {
            assertThat(e.kind().exitCode()).as(what).isEqualTo(2);
            return false;
        }
    }

    private void run(Path file, Path out, Optional<Integer> entry, String what) throws IOException {
        try {
            FakeContext context = new FakeContext(Files.createDirectories(out), HOME);
            stage.run(settings(file, entry), context);
            check(out, context, what);
        } catch (StageException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new AssertionError(what, e);
        }
    }

    private static void check(Path out, FakeContext context, String what) throws IOException {
        context.headlines.forEach((name, value) -> {
            assertThat(value).as("%s of %s", name, what).isFinite().isNotNegative();
            if (name.endsWith("_ms") && !name.equals("operator_time_ms")) {
                assertThat(value * 1e6).as("%s of %s", name, what).isLessThan(YEAR_NS);
            }
        });
        LocatedJson document = Json.read(out.resolve("measurement.json"));
        for (LocatedJson figure : document.get("published").items()) {
            assertThat(figure.get("value_ns").asDouble())
                    .as("%s of %s", figure.where(), what)
                    .isBetween(0.0, YEAR_NS);
        }
        Path requests = out.resolve(Tables.REQUEST_METRICS.name());
        for (RequestRow row : Files.exists(requests) ? RequestRow.read(requests) : List.<RequestRow>of()) {
            assertThat(row.arrival()).as(what).isBetween(0L, (long) YEAR_NS);
            assertThat(row.prefill()).as(what).isNotNegative();
            if (row.status() == RequestStatus.COMPLETED) {
                assertThat(row.actual()).as(what).isPositive();
                assertThat(row.first()).as(what).isGreaterThan(row.arrival());
                assertThat(row.completion()).as(what).isBetween(row.first(), row.arrival() + (long) YEAR_NS);
            }
        }
    }

    private static RealBenchSettings settings(Path file, Optional<Integer> entry) {
        return Defaults.of(
                RealBenchSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model("qwen3")),
                        entry("hardware", CardFiles.hardware("a100")),
                        entry(
                                "workload",
                                KeyRecord.of(
                                        ServingWorkload.class,
                                        Map.ofEntries(
                                                entry("lengths", new LengthSettings.Fixed(1, 1)),
                                                entry("format", TraceFormat.values()[0]),
                                                entry("rows", RowSettings.ALL),
                                                entry("sharing", new SharingSettings.None()),
                                                entry("labels", LabelSettings.NONE)))),
                        entry("arrival", new ArrivalSettings.AtOnce()),
                        entry(
                                "real",
                                new RealSettings(
                                        "auto",
                                        Optional.empty(),
                                        Optional.of(file),
                                        entry,
                                        Optional.empty(),
                                        0.001,
                                        true,
                                        Optional.empty())),
                        entry("suite", new SuiteSettings(SuiteSettings.Values.TABLE))));
    }

    /** Small files and directories of all formats, and files of two formats that contain requests. */
    private static List<Path> seeds() throws IOException {
        List<Path> seeds = new ArrayList<>();
        try (Stream<Path> files = Files.list(HOME.resolve("tests-data/measured"))) {
            files.sorted().forEach(seeds::add);
        }
        seeds.add(HOME.resolve("configs/recordings/qwen3-0.6b-a100-sarathi"));
        seeds.add(HOME.resolve("tests-data/real/guidellm_requests.json"));
        seeds.add(HOME.resolve("tests-data/real/inference_perf_requests.json"));
        return seeds;
    }

    private static byte[] mutant(Path file, byte[] content, Random random) throws IOException {
        if (file.toString().endsWith(".gz")) {
            byte[] plain = new GZIPInputStream(new ByteArrayInputStream(content)).readAllBytes();
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
                out.write(mutated(plain, random, true));
            }
            return packed.toByteArray();
        }
        return mutated(content, random, !file.toString().endsWith(".sqlite"));
    }

    private static byte[] mutated(byte[] content, Random random, boolean isText) {
        int kind = isText ? random.nextInt(8) : 7;
        if (kind == 7) {
            byte[] flipped = content.clone();
            flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
            return flipped;
        }
        String text = new String(content, StandardCharsets.UTF_8);
        List<MatchResult> numbers = NUMBER.matcher(text).results().toList();
        MatchResult first = numbers.get(random.nextInt(numbers.size()));
        MatchResult second = numbers.get(random.nextInt(numbers.size()));
        if (kind == 6) {
            List<String> lines = new ArrayList<>(text.lines().toList());
            int at = random.nextInt(lines.size());
            lines.add(at, lines.get(at));
            return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        }
        if (kind == 5) {
            return with(
                            with(
                                    text,
                                    later(first, second),
                                    earlier(first, second).group()),
                            earlier(first, second),
                            later(first, second).group())
                    .getBytes(StandardCharsets.UTF_8);
        }
        String value = kind == 4
                ? second.group()
                : kind == 3 ? "-" + first.group() : VALUES.get(random.nextInt(VALUES.size()));
        return with(text, first, value).getBytes(StandardCharsets.UTF_8);
    }

    private static MatchResult earlier(MatchResult a, MatchResult b) {
        return a.start() < b.start() ? a : b;
    }

    private static MatchResult later(MatchResult a, MatchResult b) {
        return a.start() < b.start() ? b : a;
    }

    private static String with(String text, MatchResult number, String value) {
        return text.substring(0, number.start()) + value + text.substring(number.end());
    }

    private static String difference(byte[] before, byte[] after) {
        int at = Math.max(0, Arrays.mismatch(before, after));
        int from = Math.max(0, at - 60);
        return new String(after, from, Math.min(120, after.length - from), StandardCharsets.UTF_8);
    }

    private static void delete(Path dir) {
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
