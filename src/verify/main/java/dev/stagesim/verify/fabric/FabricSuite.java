package dev.stagesim.verify.fabric;

import dev.stagesim.bench.engine.Scratch;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Run records, optimised records and reports, compared byte for byte except for their creation time. */
public final class FabricSuite {
    private static final String PART = "fabric";
    private static final String DRAWS = "rng_goldens.json";
    private static final Pattern QUOTED = Pattern.compile("'([^']*)'");
    private static final Pattern TYPE =
            Pattern.compile("^(?:TypeError|AttributeError): .*?'(NoneType|dict|list|str|int|float|bool)'.*");
    private static final Map<String, String> FOUND =
            Map.of("NoneType", "found null", "dict", "found an object", "list", "found an array");
    private static final Pattern OPTION = Pattern.compile("--[a-z_]+");
    private static final Pattern ABOUT =
            Pattern.compile("(?:target|workload) missing key (\\S+)|(?:target|workload) (.+) not found in .+");

    /** The suite. */
    public static final Suite SUITE = new Suite(
            "fabric",
            "Capacity runs of Atlas Fabric: records, optimised records and reports are equal byte for byte, except"
                    + " that results of pow may differ by one unit in the last place. The corpus has"
                    + " <case>/{in/,case.json,expected/} and " + DRAWS + ".",
            FabricSuite::run);

    private FabricSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (Path path : CaseFolders.in(corpus)) {
            results.accept(replay(path));
        }
        if (Files.isRegularFile(corpus.resolve(DRAWS))) {
            results.accept(draws(Json.read(corpus.resolve(DRAWS))));
        }
        for (Path scenario : Demo.scenarios(corpus)) {
            results.accept(Demo.replay(scenario));
        }
    }

    private static CaseResult replay(Path path) throws IOException {
        try (Scratch scratch = Scratch.temporary()) {
            Path outputs = scratch.dir();
            DifferenceList differences = new DifferenceList();
            RecordedRun run = new RecordedRun(path.resolve("in"), outputs);
            for (LocatedJson step :
                    Json.read(path.resolve("case.json")).get("steps").items()) {
                step(run, step, differences);
            }
            OutputFolders.compare(path.resolve("expected"), outputs, differences);
            return differences.result(PART, path);
        }
    }

    private static void step(RecordedRun run, LocatedJson step, DifferenceList differences) throws IOException {
        List<String> words = step.get("args").asStrings();
        String where = words.isEmpty() ? "no arguments" : words.get(0);
        int code = step.get("rc").asInt();
        String last = step.get("stderr_last").asString();
        try {
            String printed = run.run(words);
            if (code != 0) {
                differences.add(where, last, "a result");
            } else if (!matches(step.get("stdout").asString(), printed)) {
                differences.add(where + " stdout", step.get("stdout").asString(), printed);
            }
        } catch (StageException refused) {
            String errors = refused.problems().stream().map(Problem::render).collect(Collectors.joining("\n"));
            if (code == 0) {
                differences.add(where, "a result", errors);
            } else if (!sameCause(last, errors)) {
                differences.add(where + " error", last, errors);
            }
        }
    }

    /** Compares outputs. Only the first line of a usage text is compared. */
    private static boolean matches(String recorded, String printed) {
        return recorded.equals(printed) || (printed.startsWith("usage:") && recorded.startsWith(printed));
    }

    /** Returns true if the product's message contains the key, file or option in the last line of the reference's message. */
    private static boolean sameCause(String last, String errors) {
        String text = errors.toLowerCase(Locale.ROOT);
        Matcher options = OPTION.matcher(last);
        while (options.find()) {
            if (!text.contains(options.group())) {
                return false;
            }
        }
        Matcher type = TYPE.matcher(last);
        if (type.find()) {
            // The reference fails on the type of a value; the product's message states the value or its type.
            return text.contains(FOUND.getOrDefault(type.group(1), "found "));
        }
        Matcher quoted = QUOTED.matcher(last);
        return !quoted.find() || text.contains(name(quoted.group(1)).toLowerCase(Locale.ROOT));
    }

    /** Returns the key or entry named in a quoted message, or the message itself. */
    private static String name(String message) {
        Matcher about = ABOUT.matcher(message);
        if (!about.matches()) {
            return message;
        }
        return about.group(1) == null ? about.group(2) : about.group(1);
    }

    private static CaseResult draws(LocatedJson vectors) {
        DifferenceList differences = new DifferenceList();
        for (LocatedJson vector : vectors.items()) {
            Mt19937 random =
                    Mt19937.pythonSeed(new BigInteger(vector.get("seed").asString()));
            for (LocatedJson draw : vector.get("first3").items()) {
                double actual = random.nextDouble();
                if (actual != Double.parseDouble(draw.asString())) {
                    differences.add(draw.where(), draw.asString(), Double.toHexString(actual));
                }
            }
        }
        return differences.result(PART, DRAWS);
    }
}
