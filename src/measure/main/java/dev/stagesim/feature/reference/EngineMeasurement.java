package dev.stagesim.feature.reference;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.LiveWorkload;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.realbench.RealBenchSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** Serves the workload with the reference engine and measures it. */
final class EngineMeasurement {
    /** Minimum processor share without a warning about other programs. */
    private static final double MIN_PROCESSOR_SHARE = 0.98;

    /** Maximum share of the heap for weights and KV cache. */
    private static final double HEAP_SHARE = 0.7;

    private final RealBenchSettings settings;
    private final StageContext context;
    private final LiveWorkload workload;
    private final RequestTrace trace;
    private final boolean isClosed;
    private final ServingSpec spec;

    private EngineMeasurement(RealBenchSettings settings, StageContext context) throws IOException {
        this.settings = settings;
        this.context = context;
        this.workload = LiveWorkload.read(context.input("workload"), "");
        this.trace = trace(workload);
        isClosed = ClosedLoopDocument.read(context.input("workload").dir()).isPresent();
        this.spec = EngineSetup.spec(
                settings.model(),
                settings.hardware(),
                settings.cluster(),
                settings.scheduler(),
                ReferenceEngine.longest(trace));
    }

    /** Returns the reasons why the engine cannot run these settings. */
    static List<Problem> problems(RealBenchSettings settings) {
        List<Problem> problems = new ArrayList<>(
                EngineLimits.problems(settings.model(), settings.engine().maxParametersM()));
        problems.addAll(EngineSetup.problems(settings.cluster()));
        return problems;
    }

    static Measurement take(RealBenchSettings settings, StageContext context) throws IOException {
        return new EngineMeasurement(settings, context).take();
    }

    private static RequestTrace trace(LiveWorkload workload) {
        int n = workload.requests().size();
        double[] arrivals = new double[n];
        int[] prefill = new int[n];
        int[] decode = new int[n];
        for (int i = 0; i < n; i++) {
            arrivals[i] = workload.requests().get(i).arrivalNs() / NS_PER_S;
            prefill[i] = Math.toIntExact(workload.prefill(i));
            decode[i] = Math.toIntExact(workload.decode(i));
        }
        return new RequestTrace(arrivals, prefill, decode);
    }

    private Measurement take() {
        check();
        EngineSettings engineSettings = settings.engine();
        Supplier<EngineClock> clocks = EngineSetup.clocks(engineSettings);
        ReferenceEngine engine = EngineSetup.engine(settings.model(), engineSettings);
        context.progress("warming the engine up", 0, 2);
        ReferenceEngine.WarmedUp warm = engine.warmUp(spec, EngineSetup.warmUpNs(engineSettings), clocks);
        context.progress("serving " + Count.of(trace.size(), "request"), 1, 2);
        EngineOutcome served = engine.serve(spec, trace, clocks);
        return new Measurement(
                "reference",
                Optional.of(settings.model().name()),
                Optional.empty(),
                about(warm, served),
                requests(served),
                List.of(),
                operations(served.clock()),
                warnings(warm, served));
    }

    private void check() {
        List<Problem> problems = new ArrayList<>();
        if (trace.size() == 0) {
            problems.add(Problem.artifact(context.input("workload").dir().toString(), "the workload has no requests"));
        }
        if (isClosed) {
            problems.add(Problem.of(
                            "workload error",
                            context.input("workload").dir().toString(),
                            "is a closed loop, but the reference engine has no clients that wait for answers")
                    .hint("use arrival=poisson or arrival=static"));
        }
        int context = settings.model().maxPosition();
        if (spec.maxTokens() > context) {
            problems.add(Problem.of(
                            "workload error",
                            "workload",
                            "its longest request has " + spec.maxTokens() + " tokens, the model's context is "
                                    + context)
                    .hint("cap requests with workload.max_tokens=" + context));
        }
        problems.addAll(Feasibility.problems(spec, MemoryPlan.of(spec), trace));
        long bytes = ReferenceEngine.bytes(EngineShape.of(settings.model()), spec, trace);
        long heap = Runtime.getRuntime().maxMemory();
        if (bytes > heap * HEAP_SHARE) {
            problems.add(Problem.config(
                            "engine",
                            String.format(
                                    Locale.ROOT,
                                    "weights and KV cache take %d MB, and Java may use %d MB",
                                    bytes >> 20,
                                    heap >> 20))
                    .hint("STAGE_JAVA_OPTS=-Xmx... raises the limit, scheduler.num_blocks=... limits the KV cache"));
        }
        StageException.refuse(problems);
    }

    private Requests requests(EngineOutcome served) {
        List<Requests.Request> requests = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            long[] times = served.tokenTimes().get(i);
            requests.add(new Requests.Request(
                    workload.promptId(i),
                    workload.requests().get(i).arrivalNs(),
                    times[0],
                    times[times.length - 1],
                    trace.prefillTokens(i),
                    trace.decodeTokens(i),
                    times.length,
                    RequestStatus.COMPLETED,
                    times,
                    true));
        }
        return new Requests(requests);
    }

    /** Returns the times of the parts of all steps. */
    private static Operations operations(StepClock clock) {
        List<Operations.Operator> rows = new ArrayList<>();
        for (StepClock.Part part : StepClock.Part.values()) {
            if (clock.count(part) > 0) {
                rows.add(new Operations.Operator(
                        "cpu",
                        "step",
                        KeyNames.constant(part),
                        clock.count(part),
                        clock.total(part),
                        clock.min(part),
                        clock.max(part)));
            }
        }
        return new Operations(rows, List.of());
    }

    private List<String> warnings(ReferenceEngine.WarmedUp warm, EngineOutcome served) {
        List<String> warnings = new ArrayList<>();
        boolean monotonic = settings.engine().clock() == EngineSettings.Clock.MONOTONIC;
        if (monotonic && served.processorShare() < MIN_PROCESSOR_SHARE) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "the machine was busy: the engine's thread had %.0f %% of a processor; engine.clock=processor"
                            + " excludes the time of other programs",
                    100 * served.processorShare()));
        }
        warm.warning().ifPresent(warnings::add);
        return warnings;
    }

    private JsonValue.Obj about(ReferenceEngine.WarmedUp warm, EngineOutcome served) {
        boolean processor = settings.engine().clock() == EngineSettings.Clock.PROCESSOR;
        context.headline("engine_steps", served.steps());
        context.headline("engine_processor_share", served.processorShare());
        JsonObjectBuilder facts = JsonValue.object()
                .put("batch_size_cap", (long) settings.scheduler().batchSizeCap())
                .put("block_size", (long) settings.scheduler().blockSize())
                .put("num_blocks", MemoryPlan.of(spec).numBlocks())
                .put("restarts", (long) Arrays.stream(served.restarts()).sum())
                .put("steps", served.steps())
                .put("warm_up_rounds", (long) warm.rounds())
                .put("warm_up_s", warm.ns() / NS_PER_S)
                .put("processor_share", served.processorShare());
        if (settings.scheduler() instanceof SchedulerSpec.Sarathi sarathi) {
            facts.put("chunk_size", (long) sarathi.chunkSize());
        }
        return JsonValue.object()
                .put(
                        "attribution",
                        JsonValue.object()
                                .put("source", "the built-in engine, on this machine")
                                .build())
                .put(
                        "clock",
                        processor
                                ? "processor time of the engine's thread, waiting included"
                                : "monotonic clock of this machine")
                .put(
                        "engine",
                        JsonValue.object()
                                .put("name", "Stagesim reference engine")
                                .put("threads", 1L)
                                .put("values", "float32, random from engine.seed")
                                .build())
                .put("settings", facts.build())
                .put(
                        "definitions",
                        JsonValue.object()
                                .put("ttft", "due to the end of the step that made the first token")
                                .put("tpot", "A: (last token - first token) / (tokens - 1)")
                                .put("token_gap", "B: gaps between tokens")
                                .put("e2e", "due to the end of the step that made the last token")
                                .build())
                .build();
    }
}
