package dev.stagesim.verify.fabric;

import dev.stagesim.io.fabric.AtlasReport;
import dev.stagesim.io.fabric.AtlasTool;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Output of the reference's demonstration: a folder of records and their report. */
final class Demo {
    private static final String PART = "demo";
    private static final String REPORT = "report.md";
    private static final String OPTIMISED = "optimized_";
    private static final Pattern SEED = Pattern.compile(".*_(-?\\d+)\\.json");
    private static final double DEFAULT_SLA_MS = 120;

    private final Path folder;
    private final Optional<Path> cards;
    private final DifferenceList differences = new DifferenceList();

    private Demo(Path folder, Optional<Path> cards) {
        this.folder = folder;
        this.cards = cards;
    }

    /** Returns the folders of a corpus with a report and records. */
    static List<Path> scenarios(Path corpus) throws IOException {
        return Directories.list(corpus, entry -> Files.isRegularFile(entry.resolve(REPORT)));
    }

    /** Recreates the report, and also every record if the accelerator cards are available. */
    static CaseResult replay(Path folder) throws IOException {
        Demo demo = new Demo(folder, cards(folder));
        demo.report();
        demo.records();
        return demo.differences.result(PART, folder);
    }

    /** Returns the folder of accelerator cards in the corpus, or in another case with the same targets. */
    private static Optional<Path> cards(Path folder) throws IOException {
        Path corpus = folder.toAbsolutePath().getParent();
        if (corpus == null) {
            return Optional.empty();
        }
        Path inCorpus = corpus.resolve("accelerators");
        Path fabricCorpus = corpus.resolveSibling("fabric");
        if (Files.isDirectory(inCorpus) || !Files.isDirectory(fabricCorpus)) {
            return Optional.of(inCorpus).filter(Files::isDirectory);
        }
        return Directories.list(
                        fabricCorpus, path -> String.valueOf(path.getFileName()).startsWith("up_"))
                .stream()
                .map(path -> path.resolve("in").resolve("accelerators"))
                .filter(Files::isDirectory)
                .findFirst();
    }

    private void report() throws IOException {
        String wanted = Files.readString(folder.resolve(REPORT), StandardCharsets.UTF_8);
        String actual = AtlasReport.markdown(folder, "demo");
        differences.same(REPORT, wanted, actual);
    }

    private void records() throws IOException {
        if (cards.isEmpty()) {
            return;
        }
        List<Path> files =
                Directories.list(folder, file -> SEED.matcher(name(file)).matches());
        AtlasTool tool = new AtlasTool(cards.get(), "<TS>");
        for (Path file : files) {
            Path again = Files.createTempFile("record", ".json");
            try {
                AtlasTool.write(again, again(tool, file, files));
                OutputFolders.file(name(file), file, again, differences);
            } finally {
                Files.delete(again);
            }
        }
    }

    private static JsonValue again(AtlasTool tool, Path file, List<Path> files) throws IOException {
        LocatedJson recorded = AtlasTool.read(file);
        BigInteger seed = seed(file);
        if (!name(file).startsWith(OPTIMISED)) {
            return tool.run(
                    recorded.get("target").object(),
                    recorded.get("workload").object(),
                    recorded.get("track").asString(),
                    Map.of(),
                    seed);
        }
        Matcher matcher = SEED.matcher(name(file));
        String run = matcher.matches() ? name(file).substring(OPTIMISED.length(), matcher.start(1) - 1) : "";
        Path before = files.stream()
                .filter(other -> name(other).startsWith(run))
                .findFirst()
                .orElseThrow(() -> recorded.expected("the record from which it was optimised"));
        return tool.optimise(AtlasTool.read(before), DEFAULT_SLA_MS, seed);
    }

    private static BigInteger seed(Path file) {
        Matcher matcher = SEED.matcher(name(file));
        if (!matcher.matches()) {
            throw new IllegalStateException("no seed in " + file);
        }
        return new BigInteger(matcher.group(1));
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }
}
