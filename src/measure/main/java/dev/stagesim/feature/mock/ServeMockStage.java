package dev.stagesim.feature.mock;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.tokenizer.Tokenizer;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.ComputedGrid;
import dev.stagesim.serving.EngineDocument;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.ServingConditions;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.Variates;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.function.ToIntFunction;

/** The stage {@code serve_mock}: a server that responds at the speed of the serving simulator, until it is stopped. */
final class ServeMockStage implements Stage<ServeMockSettings> {
    private static final String PROFILING = "profiling";
    private static final long DEFAULT_SEED = 42;

    @Override
    public StageSpec<ServeMockSettings> spec() {
        return new StageSpec<>(
                "serve_mock",
                "Serve OpenAI's HTTP interface at the speed of a simulated service, until interrupted.",
                ServeMockSettings.class,
                () -> List.of(
                        Tables.REQUEST_METRICS,
                        Tables.TRACE_LENGTHS,
                        Tables.TRACE_INTERVALS,
                        MeasuredTables.SERVED_METRICS),
                2,
                true);
    }

    /** The result depends on clients and on the clock. */
    @Override
    public boolean isNeverReused() {
        return true;
    }

    @Override
    public boolean repeatable(ServeMockSettings settings) {
        return false;
    }

    @Override
    public List<Upstream> upstreams(ServeMockSettings settings) {
        if (!settings.replica().hasBundle()) {
            return List.of();
        }
        return List.of(new Upstream(
                        PROFILING,
                        "vidur_profile",
                        List.of("vidur_profile", "calibrate"),
                        "profiling.root",
                        settings.profiling().root())
                .with(new ComputedGrid(
                                settings.profile(),
                                settings.replica().predictor(),
                                settings.scheduler(),
                                settings.hardware(),
                                settings.model(),
                                settings.cluster(),
                                Optional.of((long) settings.contextLength()))
                        .keys()));
    }

    /** The profile selects between computed and tabulated times. */
    @Override
    public List<String> deciding(ServeMockSettings settings) {
        return settings.replica().isComputed() ? List.of("profile") : List.of();
    }

    @Override
    public List<Path> reads(ServeMockSettings settings, Path home) {
        return settings.predictor() instanceof PredictorSettings.Tables tables ? List.of(tables.dir()) : List.of();
    }

    @Override
    public void check(ServeMockSettings settings, Path home) {
        List<Problem> problems = new ArrayList<>();
        ServerSettings server = settings.server();
        if (settings.contextLength() > settings.model().maxPosition()) {
            problems.add(Problem.config(
                    "simulation.max_tokens",
                    "is " + settings.contextLength() + ", more than the model's context of "
                            + settings.model().maxPosition()));
        }
        address(server, problems);
        key(server, problems);
        problems.addAll(settings.replica().problems());
        StageException.refuse(problems);
    }

    private static Optional<InetSocketAddress> address(ServerSettings server, List<Problem> problems) {
        try {
            return Optional.of(new InetSocketAddress(
                    InetAddress.getByName(server.address().host()),
                    server.address().port()));
        } catch (UnknownHostException e) {
            problems.add(Problem.config(
                            "server.host", "unknown host '" + server.address().host() + "'")
                    .hint("127.0.0.1 for this machine, 0.0.0.0 for all network interfaces"));
            return Optional.empty();
        }
    }

    private static Optional<String> key(ServerSettings server, List<Problem> problems) {
        return server.apiKeyEnv().flatMap(name -> {
            Optional<String> value = Optional.ofNullable(System.getenv(name)).filter(key -> !key.isBlank());
            if (value.isEmpty()) {
                problems.add(Problem.config("server.api_key_env", "environment variable " + name + " is not set"));
            }
            return value;
        });
    }

    @Override
    public void run(ServeMockSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        ReplicaModel replica = settings.replica();
        Path bundle = replica.hasBundle() ? context.input(PROFILING).dir() : context.home();
        boolean host = replica.addsHost(bundle);
        ServingSpec spec = replica.spec(settings.contextLength(), host, bundle);
        OperatorTimes times = replica.times(settings.contextLength(), host, bundle, context::warn, context.cache());
        ServerSettings server = settings.server();
        MockWarmUp.run(spec, times);
        String model = server.model().orElse(settings.model().name());
        MemoryPlan plan = MemoryPlan.of(spec);
        context.expect(new Estimate(0, "", 0, plan.simulatedBytes(spec), 0));
        MockService service = new MockService(spec, times, model, server.maxRequests(), jitter(server), server.abort());
        try (OpenAiServer open = open(options(settings, model, context), service)) {
            context.endsWith(open::stop);
            String address = "http://" + shown(server.address().host()) + ":" + open.port() + "/v1";
            context.notice("listening on " + address + " (model " + model + ")");
            if (!InetAddress.getByName(server.address().host()).isLoopbackAddress()) {
                context.warn("this server is reachable from other machines: server.host="
                        + server.address().host());
            }
            if (server.readyFile().isPresent()) {
                Files.writeString(server.readyFile().get(), address + "\n");
            }
            ServerReport report = open.run();
            RunConditions conditions = context.conditions(new ServingConditions(replica, spec, Optional.empty())
                    .of("requests of clients", "as clients send them", List.of()));
            Json.writeDocument(context.out(), conditions);
            new ServerRunFiles(settings, plan, report, conditions, context).write();
            EngineDocument.write(context.out(), spec, plan, Optional.empty(), Optional.empty());
        }
    }

    private static String shown(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private static OpenAiServer open(MockOptions options, MockService service) throws IOException {
        try {
            return OpenAiServer.open(options, service);
        } catch (BindException e) {
            throw StageException.input(
                    Problem.config("server.port", "cannot listen on " + options.address() + ": " + e.getMessage())
                            .hint("server.port=0 selects any free port"));
        }
    }

    private static MockOptions options(ServeMockSettings settings, String model, StageContext context)
            throws IOException {
        ServerSettings server = settings.server();
        ToIntFunction<String> counter = MockOptions.ESTIMATE;
        if (server.tokenizer().isPresent()) {
            counter = Tokenizer.open(server.tokenizer().get(), context.home(), "server.tokenizer")::count;
        }
        return new MockOptions(
                address(server, new ArrayList<>()).orElseThrow(),
                model,
                version(settings),
                key(server, new ArrayList<>()),
                server.defaultTokens(),
                server.stop().stopAfterRequests().map(OptionalLong::of).orElse(OptionalLong.empty()),
                server.stop()
                        .stopAfter()
                        .map(seconds -> OptionalLong.of(Math.round(seconds * NS_PER_S)))
                        .orElse(OptionalLong.empty()),
                counter);
    }

    /** Returns the engine's version with the product as its local label, as in {@code 0.33+stagesim}. */
    private static String version(ServeMockSettings settings) {
        return settings.scheduler()
                .rulesOf()
                .map(rules -> rules.substring(rules.indexOf(' ') + 1) + "+stagesim")
                .orElse("stagesim");
    }

    /** Returns the log-normal factors of step times, with mean 1. */
    private static DoubleSupplier jitter(ServerSettings server) {
        if (server.jitter() == 0) {
            return () -> 1.0;
        }
        Variates draws = new Variates(RandomStream.of(server.seed().orElse(DEFAULT_SEED), "step times"));
        double variance = Math.log(1 + server.jitter() * server.jitter());
        double spread = Math.sqrt(variance);
        return () -> Math.exp(spread * draws.normal() - variance / 2);
    }
}
