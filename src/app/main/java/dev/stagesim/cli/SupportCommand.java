package dev.stagesim.cli;

import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.run.ConfigOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunSummary;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.MemoryFit;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.evidence.EvidenceQuery;
import dev.stagesim.serving.evidence.PublishedErrors;
import dev.stagesim.serving.evidence.PublishedErrors.Group;
import dev.stagesim.serving.evidence.ReplicaSource;
import dev.stagesim.serving.evidence.ReplicaSource.NamedReplica;
import dev.stagesim.serving.evidence.TimeSource;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.vidursim.VidurSimSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the sources of a deployment's step times, and the errors against published measurements. */
@Command(
        name = "support",
        description =
                "Show the evidence for predictions: sources of step times, and errors against published measurements.",
        footer = {
            "",
            "Examples: stage support",
            "          stage support model=llama3_70b hardware=h100 engine=vllm_v1 tp=4",
            "          stage support hardware=b200",
            "          stage support --run tmp/vidur_sim/vidur_sim-..."
        })
final class SupportCommand extends Subcommand {
    private static final double PERCENT = 100;
    private static final String PROFILE = "a run of vidur_profile";

    @Parameters(
            arity = "0..*",
            paramLabel = "KEY=VALUE",
            description = {
                "model, hardware, engine, tp, pp, dp and their keys, as in vidur_sim.",
                "Without arguments: measurements by device and engine."
            })
    private List<String> words = List.of();

    @Option(
            names = "--run",
            paramLabel = "RUN",
            description = "Show the sources of a finished run of vidur_sim, cluster_sim or plan.")
    private Optional<String> run = Optional.empty();

    @Option(names = "--json", description = "Print one JSON object instead of tables.")
    private boolean json;

    private final ConfigOptions config = new ConfigOptions();

    @Mixin
    final CommandSpec configSpec = config.spec();

    /**
     * A deployment in question, and the groups that describe it.
     *
     * @param name name of the replica in its run; empty for the only one
     */
    private record Answer(
            String name,
            Optional<ReplicaModel> replica,
            List<TimeSource> sources,
            List<Group> matching,
            List<Group> near,
            String what) {}

    @Override
    public Integer call() throws IOException {
        OptionRules.excludes("--run", run.isPresent(), "KEY=VALUE", !words.isEmpty());
        PublishedErrors errors = PublishedErrors.read(home().dir());
        if (run.isPresent()) {
            print(ofRun(errors, find(run.get())));
        } else if (words.isEmpty()) {
            print(List.of(new Answer("", Optional.empty(), List.of(), errors.groups(), List.of(), "")));
        } else {
            DeploymentArguments arguments = new DeploymentArguments("support", words, console()::warn, note -> {});
            RunRequest request = arguments.request(home(), registry(), config);
            VidurSimSettings settings = DeploymentArguments.settings(request);
            boolean isWhole = arguments.sets("model") && arguments.sets("hardware");
            NamedReplica replica = new NamedReplica(
                    "",
                    request.choices()
                            .getOrDefault("engine", Optional.empty())
                            .filter(name -> isWhole || arguments.sets("engine"))
                            .orElse(""),
                    settings.replica());
            String bundle =
                    settings.times().profiling().root().map(Path::toString).orElse(PROFILE);
            print(List.of(answer(errors, replica, bundle, section -> isWhole || arguments.sets(section))));
        }
        return ExitCode.DONE;
    }

    /** Returns the sources and errors of the replicas of a finished run. */
    private List<Answer> ofRun(PublishedErrors errors, RunSummary found) throws IOException {
        ConfigSnapshot.Snapshot snapshot = ConfigSnapshot.read(found.dir());
        Stage<?> stage = registry().find(snapshot.stage()).orElseThrow();
        List<NamedReplica> replicas = replicas(stage, snapshot.request(), found.dir());
        if (replicas.isEmpty()) {
            throw StageException.input(Problem.usage("--run " + found.dir(), "has no deployment with step times")
                    .note("got", "a run of " + snapshot.stage())
                    .hint("give a run of vidur_sim or cluster_sim, or of plan with a feasible deployment"));
        }
        String bundle = found.meta().map(RunMeta::inputs).orElse(List.of()).stream()
                .filter(input -> input.role().equals("profiling"))
                .map(RunMeta.Input::path)
                .findFirst()
                .orElse(PROFILE);
        return replicas.stream()
                .map(replica -> answer(errors, replica, bundle, section -> true))
                .toList();
    }

    private static <S extends Record> List<NamedReplica> replicas(Stage<S> stage, RunRequest request, Path run)
            throws IOException {
        S settings = Binder.bind(request.config(), stage.spec().settings(), request.bindOptions());
        if (settings instanceof VidurSimSettings single) {
            String engine =
                    request.choices().getOrDefault("engine", Optional.empty()).orElse("");
            return List.of(new NamedReplica("", engine, single.replica()));
        }
        return stage instanceof ReplicaSource<S> source ? source.replicas(settings, run) : List.of();
    }

    /**
     * Returns the sources and errors of a deployment.
     *
     * @param isSet whether a section selects errors
     */
    private Answer answer(PublishedErrors errors, NamedReplica named, String bundle, Predicate<String> isSet) {
        ReplicaModel replica = named.replica();
        boolean isWhole = isSet.test("model") && isSet.test("hardware");
        Optional<String> engine = Optional.of(named.engine()).filter(name -> !name.isEmpty());
        Optional<String> device = Optional.of(replica.hardware().name()).filter(name -> isSet.test("hardware"));
        EvidenceQuery query = EvidenceQuery.of(named.engine(), replica);
        Optional<String> kind = Optional.of(query.kind()).filter(name -> isSet.test("model"));
        List<Group> matching = query.isPiped() ? List.of() : errors.groups(engine, device, kind);
        List<Group> near = matching.isEmpty()
                ? errors.nearest(engine, device, kind, isAlike(device.map(name -> replica.hardware())))
                : List.of();
        String what = kind.orElse("models")
                + engine.map(name -> " under " + name).orElse("")
                + device.map(name -> " on " + name).orElse("")
                + (query.isPiped() ? " with pipeline stages" : "");
        return new Answer(
                named.name(),
                Optional.of(replica).filter(any -> isWhole),
                isWhole ? TimeSource.of(replica, bundle) : List.of(),
                matching,
                near,
                what);
    }

    /** Returns whether a device, by its name, has the architecture of another one; true for all devices without one. */
    private Predicate<String> isAlike(Optional<HardwareCard> device) {
        return device.<Predicate<String>>map(card -> name -> {
                    try {
                        DeploymentArguments other =
                                new DeploymentArguments("support", List.of("hardware=" + name), text -> {}, text -> {});
                        return DeploymentArguments.settings(other.request(home(), registry(), config))
                                        .hardware()
                                        .device()
                                        .architecture()
                                == card.device().architecture();
                    } catch (StageException unknown) {
                        return false; // measured on a device without a card
                    }
                })
                .orElse(name -> true);
    }

    /** Returns a run of the working directory, or the run in a directory. */
    private static RunSummary find(String text) throws IOException {
        Path dir = Path.of(text).toAbsolutePath().normalize();
        Path work = Files.isDirectory(dir) ? dir.resolve("../../..").normalize() : Home.work();
        return new RunCatalog(work).find(Files.isDirectory(dir) ? dir.toString() : text);
    }

    private void print(List<Answer> answers) {
        Answer first = answers.get(0);
        if (json) {
            boolean isNamed = !first.name().isEmpty();
            Map<String, JsonValue> named = new LinkedHashMap<>();
            answers.forEach(answer -> named.put(answer.name(), json(answer)));
            console().result(Json.compact(isNamed ? new JsonValue.Obj(named) : json(first)));
        } else if (first.what().isEmpty()) {
            matrix(first.matching()).forEach(console()::result);
        } else {
            for (int i = 0; i < answers.size(); i++) {
                if (i > 0) {
                    console().result("");
                }
                lines(answers.get(i)).forEach(console()::result);
            }
        }
    }

    private static List<String> matrix(List<Group> groups) {
        TreeSet<String> engines = new TreeSet<>();
        Map<String, Map<String, Integer>> rows = new TreeMap<>();
        groups.forEach(group -> {
            engines.add(group.engine());
            rows.computeIfAbsent(group.device(), any -> new TreeMap<>())
                    .merge(group.engine(), group.errors().rows(), Integer::sum);
        });
        AlignedTable table = new AlignedTable()
                .row(Stream.concat(Stream.of("device"), engines.stream()).toArray(String[]::new));
        rows.forEach((device, counts) -> table.row(
                Stream.concat(Stream.of(device), engines.stream().map(engine -> Optional.ofNullable(counts.get(engine))
                                .map(Numbers::count)
                                .orElse(Numbers.NONE)))
                        .toArray(String[]::new)));
        List<String> lines = new ArrayList<>(List.of(
                "Published measurements that predictions were compared with, in groups of at least 20 rows:", ""));
        lines.addAll(table.lines());
        lines.addAll(List.of(
                "",
                "Other devices and engines have no evidence. Errors: stage support hardware=NAME; specs/fidelity.md"));
        return lines;
    }

    private static List<String> lines(Answer answer) {
        List<String> lines = new ArrayList<>();
        answer.replica().ifPresent(replica -> {
            lines.add((answer.name().isEmpty() ? "" : answer.name() + ": ")
                    + ConditionText.model(replica.model(), replica.hardware()) + " on "
                    + ConditionText.devices(new MemoryFit(replica).devices(), replica.hardware()));
            lines.add("");
            lines.addAll(sources(answer.sources()));
            lines.add("");
        });
        if (answer.matching().isEmpty()) {
            lines.add(
                    "No evidence: no published measurements of " + answer.what() + ", in groups of at least 20 rows.");
            lines.addAll(answer.near().isEmpty() ? List.of() : List.of("", "Errors of the nearest groups:"));
        } else {
            lines.add("Errors against published measurements of " + answer.what() + ":");
        }
        List<Group> shown = answer.matching().isEmpty() ? answer.near() : answer.matching();
        if (!shown.isEmpty()) {
            AlignedTable table =
                    new AlignedTable().row("  engine", "device", "kind", "metric", "rows", "median", "P90");
            shown.forEach(group -> table.row(
                    "  " + group.engine(),
                    group.device(),
                    group.kind(),
                    group.metric(),
                    Numbers.count(group.errors().rows()),
                    Numbers.share(PERCENT * group.errors().median(), 1),
                    Numbers.share(PERCENT * group.errors().p90(), 1)));
            lines.addAll(table.lines());
        }
        return lines;
    }

    /** Returns the operators with the method of their times, and the numbered sources. */
    private static List<String> sources(List<TimeSource> sources) {
        List<String> texts = sources.stream().map(TimeSource::source).distinct().toList();
        AlignedTable table = new AlignedTable().row("operators", "step times from", "source");
        sources.forEach(source ->
                table.row(source.operators(), source.method(), "[" + (texts.indexOf(source.source()) + 1) + "]"));
        List<String> lines = new ArrayList<>(table.lines());
        lines.add("");
        texts.forEach(text -> lines.add("[" + (texts.indexOf(text) + 1) + "] " + text));
        return lines;
    }

    private static JsonValue json(Answer answer) {
        List<JsonValue> sources = new ArrayList<>();
        answer.sources()
                .forEach(source -> sources.add(new JsonValue.Obj(Map.of(
                        "operators", new JsonValue.Str(source.operators()),
                        "method", new JsonValue.Str(source.method()),
                        "source", new JsonValue.Str(source.source())))));
        return new JsonValue.Obj(Map.of(
                "sources", new JsonValue.Arr(sources),
                "errors", new JsonValue.Arr(json(answer.matching())),
                "nearest_errors", new JsonValue.Arr(json(answer.near()))));
    }

    private static List<JsonValue> json(List<Group> groups) {
        List<JsonValue> items = new ArrayList<>();
        groups.forEach(group -> items.add(new JsonValue.Obj(Map.of(
                "engine", new JsonValue.Str(group.engine()),
                "device", new JsonValue.Str(group.device()),
                "kind", new JsonValue.Str(group.kind()),
                "metric", new JsonValue.Str(group.metric()),
                "rows", new JsonValue.Int(group.errors().rows()),
                "median", new JsonValue.Real(group.errors().median()),
                "p90", new JsonValue.Real(group.errors().p90())))));
        return items;
    }
}
