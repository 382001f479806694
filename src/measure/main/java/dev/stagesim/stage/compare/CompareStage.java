package dev.stagesim.stage.compare;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.comparison.CompareTables;
import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.ComparedRunReader;
import dev.stagesim.comparison.Facts;
import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Feature;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Chart;
import dev.stagesim.report.SvgChart;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The stage {@code compare}: errors of a simulated run against a measured run, or differences between any two runs. */
public final class CompareStage implements Stage<CompareStageSettings> {
    private static final String REAL = "real";
    private static final String SIM = "sim";
    private static final String NOISE = "noise";
    private static final String WORKLOAD = "workload";
    private static final String MEASURED = "real_bench";
    private static final String SIMULATED = "vidur_sim";
    private static final String SERVED = "serve_mock";
    private static final String CLUSTER = "cluster_sim";

    @Override
    public StageSpec<CompareStageSettings> spec() {
        return new StageSpec<>(
                "compare",
                "Compare a simulated run with a measured one, any two runs of the same requests, or a suite workload.",
                CompareStageSettings.class,
                CompareTables::all,
                3,
                false);
    }

    @Override
    public List<Upstream> upstreams(CompareStageSettings settings) {
        return kind(settings).upstreams(settings);
    }

    /** A measured file next to a finished simulation is assumed to have the simulated model and hardware. */
    @Override
    public List<Upstream> upstreams(CompareStageSettings settings, Path home) throws IOException {
        List<Upstream> inputs = upstreams(settings);
        Optional<Path> sim = settings.sim().dir();
        if (sim.isEmpty() || settings.measurement().real().file().isEmpty()) {
            return inputs;
        }
        Map<String, Object> simulated = RunConfig.differences(sim.get(), settings);
        return inputs.stream()
                .map(input -> input.role().equals(REAL) ? input.with(simulated) : input)
                .toList();
    }

    @Override
    public void check(CompareStageSettings settings, Path home) {
        kind(settings).check(settings);
    }

    @Override
    public void run(CompareStageSettings settings, StageContext context) throws IOException {
        kind(settings).run(settings, context);
    }

    private static Kind kind(CompareStageSettings settings) {
        return Feature.all(Kind.class).stream()
                .filter(kind -> kind.takes(settings))
                .findFirst()
                .orElse(new Requests());
    }

    /** A kind of comparison: of requests, or of a feature's results. */
    public interface Kind {
        /** True if the settings select this comparison. */
        boolean takes(CompareStageSettings settings);

        /** Returns the upstream runs, like {@link Stage#upstreams}. */
        List<Upstream> upstreams(CompareStageSettings settings);

        /** As {@link Stage#check}. */
        void check(CompareStageSettings settings);

        /** As {@link Stage#run}. */
        void run(CompareStageSettings settings, StageContext context) throws IOException;
    }

    /** Compares served requests. */
    private static final class Requests implements Kind {
        @Override
        public boolean takes(CompareStageSettings settings) {
            return true;
        }

        /** The run of a given measurement is the workload of the simulation. */
        @Override
        public List<Upstream> upstreams(CompareStageSettings settings) {
            RealSettings measured = settings.measurement().real();
            Upstream real =
                    new Upstream(REAL, MEASURED, List.of(MEASURED, SIMULATED, CLUSTER), "real.dir", measured.dir());
            Upstream sim = new Upstream(
                    SIM,
                    SIMULATED,
                    List.of(SIMULATED, MEASURED, SERVED, CLUSTER),
                    "sim.dir",
                    settings.sim().dir());
            boolean named = measured.dir().isPresent()
                    || measured.file().isPresent()
                    || measured.source().equals(RealSettings.ENDPOINT);
            List<Upstream> inputs = new ArrayList<>(List.of(real, named ? sim.feeding(WORKLOAD, REAL) : sim));
            if (hasNoise(settings)) {
                Optional<Path> again = settings.compare().noise().dir();
                inputs.add(new Upstream(NOISE, MEASURED, List.of(MEASURED, SIMULATED), "compare.noise.dir", again)
                        .again());
            }
            return inputs;
        }

        /** True if there is a second measurement, given or made like the first one. */
        private static boolean hasNoise(CompareStageSettings settings) {
            boolean engine = settings.measurement().real().dir().isEmpty()
                    && settings.measurement().real().source().equals(RealSettings.REFERENCE);
            return settings.compare().noise().dir().isPresent()
                    || settings.compare().noise().measure().orElse(engine);
        }

        /**
         * A second measurement requires that the first one is made here, because a recording that is read twice has no
         * noise.
         */
        @Override
        public void check(CompareStageSettings settings) {
            noSuite(settings);
            CompareSettings.Noise noise = settings.compare().noise();
            RealSettings real = settings.measurement().real();
            boolean live = real.source().equals(RealSettings.REFERENCE)
                    || real.source().equals(RealSettings.ENDPOINT);
            boolean isExplicit = noise.measure().orElse(false);
            if (isExplicit && (real.dir().isPresent() || !live)) {
                throw StageException.input(
                        Problem.config("compare.noise.measure", "the real side is not measured by this run")
                                .hint("give a second measurement with compare.noise.dir"));
            }
            if (isExplicit && noise.dir().isPresent()) {
                throw StageException.input(Problem.config(
                        "compare.noise.measure", "has no effect: compare.noise.dir names the measurement"));
            }
        }

        /** Rejects settings that apply to the profiling suite only. */
        private static void noSuite(CompareStageSettings settings) {
            List<Problem> problems = new ArrayList<>();
            if (settings.workload() instanceof TfWorkload workload) {
                problems.add(Problem.config(
                                "workload.kind",
                                workload.label()
                                        + " is a workload of the profiling suite, and nothing measures it here")
                        .hint("bench=tf measures it; real.dir=<run of real_bench bench=tf> takes a finished"
                                + " measurement"));
            }
            if (!settings.compare().fit().runs().isEmpty()) {
                problems.add(Problem.config(
                        "compare.fit.runs",
                        "has no effect: efficiencies are fitted for workloads of the profiling suite"));
            }
            StageException.refuse(problems);
        }

        @Override
        public void run(CompareStageSettings settings, StageContext context) throws IOException {
            Optional<RunInput> again = hasNoise(settings) ? Optional.of(context.input(NOISE)) : Optional.empty();
            compare(settings.compare(), again, context);
        }
    }

    /** Compares the two inputs of a context, with a second measurement as the noise floor. */
    static void compare(CompareSettings settings, Optional<RunInput> again, StageContext context) throws IOException {
        RunInput first = context.input(REAL);
        RunInput second = context.input(SIM);
        boolean mixed = first.runType().equals(MEASURED)
                && (second.runType().equals(SIMULATED) || second.runType().equals(SERVED));
        context.progress("reading both runs", 0, 3);
        ComparedRun real = ComparedRunReader.read(first, mixed ? "real" : "reference");
        ComparedRun sim =
                ServedRun.matched(first, second, ComparedRunReader.read(second, mixed ? "simulated" : "candidate"));
        context.progress("comparing", 1, 3);
        Optional<ComparedRun> measuredAgain = again.isPresent()
                ? Optional.of(ComparedRunReader.read(again.get(), real.label() + " again"))
                : Optional.empty();
        Comparison comparison = Comparison.of(real, sim, measuredAgain, settings);
        context.progress("writing the report", 2, 3);
        Optional<RunConditions> measured = Json.readDocument(first.dir(), RunConditions.class);
        Optional<RunConditions> predicted = Json.readDocument(second.dir(), RunConditions.class);
        if (predicted.isPresent()) {
            Json.writeDocument(context.out(), predicted.get());
        }
        write(context.out(), comparison, new ComparisonReport(comparison, measured, predicted));
        report(comparison, context);
    }

    private static void write(Path out, Comparison comparison, ComparisonReport report) throws IOException {
        new ComparisonTables(out, comparison).write();
        Json.writeDocument(out, ComparisonJson.of(comparison));
        Path figures = Files.createDirectories(out.resolve("figs"));
        for (Chart chart : new ComparisonCharts(comparison).all()) {
            Files.writeString(OutputFile.in(figures, PathPart.of(chart.name()) + ".svg"), SvgChart.standalone(chart));
        }
        report.report().write(out);
    }

    private static void report(Comparison comparison, StageContext context) {
        new ComparisonReport(comparison, Optional.empty(), Optional.empty())
                .headlines()
                .forEach((name, value) -> {
                    if (Double.isFinite(value)) {
                        context.headline(name, value);
                    }
                });
        new ComparisonText(comparison).tokenNote().ifPresent(context::warn);
        comparison.alignment().leftOut().ifPresent(context::warn);
        comparison.findings().stream()
                .filter(finding ->
                        Set.of(WorkloadMismatch.ID, SettingsDiff.OTHER_ENGINE).contains(finding.id()))
                .forEach(finding -> context.warn(
                        finding.title() + ": " + String.join(" ", finding.evidence()) + " " + finding.advice()));
        if (comparison.verdict().userLimits()) {
            for (Verdict.Check check : comparison.verdict().failed()) {
                Problem problem = Problem.of(
                        "check failed",
                        "compare.tolerance." + check.name() + "_percent",
                        ComparisonText.plainCheck(check));
                context.checkFailed(
                        check.worseBy() < 0
                                ? problem.hint(
                                        "the second side is better: compare.tolerance.direction=worse allows that")
                                : problem);
            }
        }
    }

    /**
     * A run of a server that responds at the speed of a simulation, matched with the replay that its client measured. Other
     * requests to the server, such as warm-up, are omitted. The matched requests get the numbers of the replay.
     */
    private static final class ServedRun {
        private static final String SERVED = "serve_mock";

        private ServedRun() {}

        /**
         * Returns the simulated run with the request numbers of the measured run, or unchanged if it is not the server of
         * that replay.
         */
        static ComparedRun matched(RunInput replay, RunInput server, ComparedRun sim) throws IOException {
            boolean both = server.runType().equals(SERVED)
                    && replay.has(MeasuredTables.CLIENT_METRICS.name())
                    && server.has(MeasuredTables.SERVED_METRICS.name());
            if (!both) {
                return sim;
            }
            Map<String, Long> sent = sent(replay);
            Map<Long, Long> numbers = new TreeMap<>();
            List<Double> late = new ArrayList<>();
            Path served = server.file(MeasuredTables.SERVED_METRICS.name());
            TableReader.forEach(served, MeasuredTables.SERVED_METRICS, row -> {
                Long number = sent.get(row.stringAt("client_request_id"));
                if (number != null) {
                    numbers.put(row.longAt("request_id"), number);
                    if (!row.isEmpty("first_token_lateness_ns")) {
                        late.add((double) row.longAt("first_token_lateness_ns"));
                    }
                }
            });
            return numbers.isEmpty() ? sim : renumbered(sim, numbers, late);
        }

        /** Returns the numbers of the replay's requests by the request ids that the server received. */
        private static Map<String, Long> sent(RunInput replay) throws IOException {
            Map<String, Long> sent = new TreeMap<>();
            Path client = replay.file(MeasuredTables.CLIENT_METRICS.name());
            TableReader.forEach(client, MeasuredTables.CLIENT_METRICS, row -> {
                if (!row.isEmpty("sent_request_id")) {
                    sent.put(row.stringAt("sent_request_id"), row.longAt("request_id"));
                }
            });
            return sent;
        }

        private static ComparedRun renumbered(ComparedRun sim, Map<Long, Long> numbers, List<Double> late) {
            List<RequestRow> rows = sim.rows().stream()
                    .filter(row -> numbers.containsKey(row.id()))
                    .map(row -> row.numbered(numbers.getOrDefault(row.id(), -1L)))
                    .sorted(Comparator.comparingLong(RequestRow::id))
                    .toList();
            Facts facts = sim.facts();
            Map<Figure, Double> figures = new TreeMap<>(facts.figures());
            figures.put(Figure.REQUESTS_LEFT_ASIDE, (double) (sim.rows().size() - rows.size()));
            if (!late.isEmpty()) {
                double[] ns = late.stream().mapToDouble(Double::doubleValue).toArray();
                figures.put(Figure.SERVED_LATE_NS, Quantiles.of(ns, 0.95));
            }
            return new ComparedRun(
                    sim.label(),
                    sim.runId(),
                    sim.runType(),
                    sim.sha256(),
                    sim.model(),
                    sim.hardware(),
                    rows,
                    Optional.empty(),
                    Optional.empty(),
                    sim.published(),
                    new Facts(figures, facts.origins(), facts.definitions(), facts.settings()));
        }
    }
}
