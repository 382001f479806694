package dev.stagesim.stage.workload;

import dev.stagesim.io.chakra.TraceRanks;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.trace.generate.PatternParameter;
import dev.stagesim.sim.trace.generate.TracePattern;
import dev.stagesim.sim.trace.generate.TracePatterns;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.traces.ChakraGenerateWorkload;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Consistency checks of generated traces. */
final class ChakraGenerateChecks {
    /** Training step of a transformer. */
    static final String TRANSFORMER = "transformer";

    /** Name of the option with all patterns of a generator. */
    static final String REFERENCE = "reference";

    /** Maximum number of processors with separate files. */
    private static final long MAX_FILES = 1_000_000;

    private final ChakraGenerateWorkload settings;
    private final List<Problem> problems = new ArrayList<>();

    private ChakraGenerateChecks(ChakraGenerateWorkload settings) {
        this.settings = settings;
    }

    static void check(ChakraGenerateWorkload settings, CompatMode compat) {
        ChakraGenerateChecks checks = new ChakraGenerateChecks(settings);
        if (settings.dir().isPresent()) {
            checks.problem("dir", "it refers to finished traces, so this stage has nothing to generate");
        }
        checks.sharing(compat);
        checks.schema();
        Set<PatternParameter> figures = EnumSet.noneOf(PatternParameter.class);
        if (settings.pattern().equals(TRANSFORMER)) {
            checks.transformer();
            figures.add(PatternParameter.MICRO_BATCHES);
        } else {
            List<TracePattern> patterns = checks.patterns();
            patterns.forEach(pattern -> figures.addAll(pattern.figures()));
            if (patterns.isEmpty()) {
                figures.addAll(EnumSet.allOf(PatternParameter.class));
            }
            if (compat == CompatMode.CHAKRA && checks.isOurs()) {
                checks.problems.add(Problem.config("compat", "the reference has no pattern " + settings.pattern()));
            }
            if (compat == CompatMode.CHAKRA && settings.pattern().startsWith("one_comm_")) {
                figures.add(PatternParameter.TENSOR_SIZE);
            }
        }
        checks.figures(figures);
        boolean isKnown = compat == CompatMode.NONE || compat == CompatMode.CHAKRA;
        if (!isKnown || (compat == CompatMode.CHAKRA && settings.pattern().equals(TRANSFORMER))) {
            checks.problems.add(Problem.config(
                    "compat", "has no effect on these traces: none, or chakra for the reference's patterns"));
        }
        StageException.refuse(checks.problems);
    }

    /** Returns the patterns to generate; empty if the name is unknown, which is reported. */
    private List<TracePattern> patterns() {
        String name = settings.pattern();
        if (name.equals(REFERENCE)) {
            if (settings.prefix().isPresent()) {
                problem("prefix", "has no effect: the files of each pattern have the name of the pattern");
            }
            return referencePatterns(settings);
        }
        Optional<TracePattern> found = TracePatterns.find(name);
        if (found.isEmpty()) {
            List<String> names = new ArrayList<>(List.of(TRANSFORMER, REFERENCE));
            TracePatterns.all().forEach(pattern -> names.add(pattern.name()));
            problems.add(Problem.config("workload.pattern", "unknown pattern '" + name + "'")
                    .options(names)
                    .didYouMean(Suggest.near(name, names)));
        }
        return found.map(List::of).orElse(List.of());
    }

    /** Returns the patterns of the generator of a schema. */
    static List<TracePattern> referencePatterns(ChakraGenerateWorkload settings) {
        return switch (schema(settings)) {
            case V1_0_0 -> TracePatterns.CURRENT;
            case V0_0_4 -> TracePatterns.DIMENSIONS;
            case V0_0_1 -> TracePatterns.FIRST;
        };
    }

    static TextSchema schema(ChakraGenerateWorkload settings) {
        return settings.schema().orElse(settings.sizes().numDims().isPresent() ? TextSchema.V0_0_4 : TextSchema.V1_0_0);
    }

    private void sharing(CompatMode compat) {
        Optional<String> obstacle = obstacle(compat);
        if (settings.sharedFiles()) {
            obstacle.ifPresent(why -> problem("shared_files", why));
            return;
        }
        boolean isTransformer = settings.pattern().equals(TRANSFORMER);
        long npus = isTransformer ? product() : settings.numNpus().orElse(1);
        if (npus > MAX_FILES && npus <= TraceRanks.MAX_RANKS) {
            problems.add(
                    Problem.config(
                                    isTransformer ? "workload.parallelism" : "workload.num_npus",
                                    npus + " processors with separate files, expected at most " + MAX_FILES)
                            .hint(
                                    obstacle.isPresent()
                                            ? "fewer processors"
                                            : "workload.shared_files=true, so that processors with the same trace share a file"));
        }
    }

    /** Checks whether processors can share files. */
    private Optional<String> obstacle(CompatMode compat) {
        if (settings.pattern().equals(REFERENCE)) {
            return Optional.of("has no effect: ids continue from file to file, so that no files are equal");
        }
        if (schema(settings) == TextSchema.V0_0_1) {
            return Optional.of("schema v0_0_1 is for older simulators, which require a file per processor");
        }
        return compat == CompatMode.CHAKRA
                ? Optional.of("the reference of compat=chakra writes a file per processor")
                : Optional.empty();
    }

    /** Returns the number of processors of the parallelism. */
    private long product() {
        ChakraGenerateWorkload.Parallelism split = settings.parallelism();
        return (long) split.tp().orElse(1) * split.pp().orElse(1) * split.dp().orElse(1);
    }

    private boolean isOurs() {
        return TracePatterns.OWN.stream().anyMatch(pattern -> pattern.name().equals(settings.pattern()));
    }

    private void schema() {
        if (settings.pattern().equals(TRANSFORMER) && schema(settings) != TextSchema.V1_0_0) {
            problem(
                    settings.schema().isPresent() ? "schema" : "num_dims",
                    "the collectives of a transformer use groups, not dimensions: omit schema and num_dims");
        } else if (settings.pattern().equals(REFERENCE)
                && settings.sizes().numDims().isPresent()
                && schema(settings) == TextSchema.V1_0_0) {
            problem("num_dims", "the generator of schema v1_0_0 has no dimensions; omit schema");
        }
    }

    private void figures(Set<PatternParameter> used) {
        figure(used, PatternParameter.RUNTIME, settings.sizes().runtime());
        figure(used, PatternParameter.TENSOR_SIZE, settings.sizes().tensorSize());
        figure(used, PatternParameter.COMM_SIZE, settings.sizes().commSize());
        figure(used, PatternParameter.LAYERS, settings.sizes().layers());
        figure(used, PatternParameter.MICRO_BATCHES, settings.sizes().microBatches());
        if (!settings.pattern().equals(TRANSFORMER)) {
            figure(used, PatternParameter.NUM_DIMS, settings.sizes().numDims());
        }
    }

    private void figure(Set<PatternParameter> used, PatternParameter figure, Optional<?> value) {
        if (value.isPresent() && !used.contains(figure)) {
            problem(figure.key(), "has no effect on the pattern " + settings.pattern());
        }
    }

    private void transformer() {
        if (settings.model().isEmpty()) {
            problem("model", "select the transformer with model@workload.model=<option>");
        }
        if (settings.hardware().isEmpty()) {
            problem("hardware", "select the device with hardware@workload.hardware=<option>");
        }
        if (settings.hardware().isPresent()
                && settings.hardware().get().rates().bf16Tflops().isEmpty()) {
            problem("hardware", "its card has no rate in BF16");
        }
        long npus = product();
        if (settings.numNpus().filter(given -> given != npus).isPresent()) {
            problem("num_npus", "tp x pp x dp are " + npus + " processors");
        }
        if (npus > TraceRanks.MAX_RANKS) {
            problem("parallelism", "tp x pp x dp are " + npus + " processors, more than " + TraceRanks.MAX_RANKS);
        } else if (problems.isEmpty()) {
            problems.addAll(ChakraGenerateWriter.training(settings).problems("workload."));
        }
    }

    private void problem(String key, String what) {
        problems.add(Problem.config("workload." + key, what));
    }
}
