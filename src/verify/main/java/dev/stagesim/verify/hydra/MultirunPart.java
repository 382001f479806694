package dev.stagesim.verify.hydra;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ComposeRequest.Mode;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.config.interp.Datum;
import dev.stagesim.config.interp.InterpolationException;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.sweep.SweepJob;
import dev.stagesim.config.sweep.SweepOptions;
import dev.stagesim.config.sweep.SweepPlan;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code multirun} cases: overrides become jobs, each composed against the tree in {@code hocon}.
 *
 * <p>A successful case must give the same jobs in the same order and batches. If a job fails to compose in the reference,
 * it must fail here with an error of the same kind. A failing case must fail with an error of the same kind at the same
 * stage: the composition of the master configuration, or the sweep.
 */
final class MultirunPart {
    static final HydraPart PART = new HydraPart("multirun", MultirunPart::open);

    private static final String MASTER = "master_config";
    private static final String SWEEPER = "sweeper";

    private MultirunPart() {}

    private static HydraPart.Replay open(Path folder) {
        ConfigEngine engine = ConfigEngine.open(
                List.of(new SearchRoot("main", folder.resolve("hocon"))), List.of(), name -> Optional.empty());
        return (id, recorded) -> new Case(engine, recorded).run(PART.name(), id);
    }

    /** One case being replayed. */
    private static final class Case {
        private final ConfigEngine engine;
        private final LocatedJson recorded;
        private final List<Difference> differences = new ArrayList<>();

        Case(ConfigEngine engine, LocatedJson recorded) {
            this.engine = engine;
            this.recorded = recorded;
        }

        CaseResult run(String part, String id) {
            List<String> overrides = recorded.get("overrides").asStrings();
            List<String> taskOverrides = new ArrayList<>();
            List<String> settings = new ArrayList<>();
            List<String> arguments;
            try {
                Composition master = engine.compose(request(overrides, Mode.MULTIRUN));
                for (ConfigOverride override : OverrideParser.parseAll(overrides, Dialect.HYDRA)) {
                    (override.isEngineSetting() ? settings : taskOverrides).add(override.input());
                }
                arguments = evaluated(master.config(), taskOverrides);
            } catch (StageException | InterpolationException refused) {
                return refused(part, id, MASTER, refused);
            }
            SweepPlan plan;
            try {
                plan = SweepPlan.parse(params(), arguments, options());
            } catch (StageException refused) {
                return refused(part, id, SWEEPER, refused);
            }
            if (!recorded.get("ok").asBool()) {
                return CaseResult.failed(
                        part, id, "", "an error at " + recorded.get("stage").asString(), "no error");
            }
            same("sweeper_arguments", recorded.get("sweeper_arguments").asStrings(), arguments);
            same("hydra_overrides", recorded.get("hydra_overrides").asStrings(), settings);
            compareJobs(plan, settings);
            return CaseResult.of(part, id, differences);
        }

        private CaseResult refused(String part, String id, String stage, RuntimeException refused) {
            String expected = recorded.get("ok").asBool()
                    ? "no error"
                    : recorded.get("stage").asString();
            if (!expected.equals(stage)) {
                return CaseResult.failed(part, id, "error", expected, stage + ": " + refused.getMessage());
            }
            kind("error", recorded.get("error"), refused);
            return CaseResult.of(part, id, differences);
        }

        /** Compares the kind of an error with a recorded one. */
        private void kind(String where, LocatedJson error, RuntimeException actual) {
            String expected = error.get("class").asString();
            if (actual instanceof InterpolationException interpolation) {
                same(where, List.of(expected), List.of(InterpCases.className(interpolation.kind())));
            } else if (actual instanceof StageException wrong) {
                ErrorKinds.compare(error, wrong)
                        .why()
                        .ifPresent(why -> differences.add(new Difference(where, expected, why)));
            }
        }

        private ComposeRequest request(List<String> overrides, Mode mode) {
            return ComposeRequest.of("config", overrides).withMode(mode).withDialect(Dialect.HYDRA);
        }

        private Map<String, String> params() {
            Map<String, String> params = new LinkedHashMap<>();
            recorded.find("sweeper_params")
                    .ifPresent(given -> given.members().forEach((key, value) -> params.put(key, value.asString())));
            return params;
        }

        private SweepOptions options() {
            SweepOptions options = SweepOptions.of(engine::options).withDialect(Dialect.HYDRA);
            return recorded.find("max_batch_size")
                    .map(limit -> options.withMaxBatchSize(limit.asInt()))
                    .orElse(options);
        }

        private void compareJobs(SweepPlan plan, List<String> settings) {
            List<String> jobs = new ArrayList<>();
            Map<String, StageException> failing = new LinkedHashMap<>();
            for (SweepJob job : plan) {
                jobs.add(job.overrides().toString());
                failure(settings, job).ifPresent(wrong -> failing.put(Long.toString(job.number()), wrong));
            }
            List<String> expected = recorded.get("jobs").items().stream()
                    .map(job -> job.asStrings().toString())
                    .toList();
            boolean anyOrder = recorded.find("order").isPresent();
            same(
                    "jobs",
                    anyOrder ? expected.stream().sorted().toList() : expected,
                    anyOrder ? jobs.stream().sorted().toList() : jobs);
            compareFailures(failing);
            if (recorded.has("batches")) {
                same("batches", batches(recorded.get("batches")), batches(plan));
            }
        }

        private void compareFailures(Map<String, StageException> failing) {
            Map<String, LocatedJson> expected = new LinkedHashMap<>();
            recorded.find("compose_errors")
                    .map(LocatedJson::items)
                    .orElse(List.of())
                    .forEach(
                            error -> expected.put(Long.toString(error.get("job").asLong()), error));
            same("compose_errors", List.copyOf(expected.keySet()), List.copyOf(failing.keySet()));
            expected.forEach((job, error) -> {
                StageException actual = failing.get(job);
                if (actual != null) {
                    kind("compose_errors of job " + job, error, actual);
                }
            });
        }

        private Optional<StageException> failure(List<String> settings, SweepJob job) {
            List<String> overrides = new ArrayList<>(settings);
            overrides.addAll(job.overrides());
            try {
                engine.compose(request(overrides, Mode.RUN));
                return Optional.empty();
            } catch (StageException refused) {
                return Optional.of(refused);
            }
        }

        private static List<String> batches(LocatedJson sizes) {
            return sizes.items().stream()
                    .map(size -> Long.toString(size.asLong()))
                    .toList();
        }

        private static List<String> batches(SweepPlan plan) {
            List<String> sizes = new ArrayList<>();
            for (long i = 0; i < plan.batchCount(); i++) {
                sizes.add(Long.toString(plan.batchSize(i)));
            }
            return sizes;
        }

        private void same(String where, List<String> expected, List<String> actual) {
            if (!expected.equals(actual)) {
                differences.add(new Difference(where, expected.toString(), actual.toString()));
            }
        }

        /** Hydra keeps the overrides in the tree, so that interpolations in them are evaluated before the sweep. */
        private static List<String> evaluated(MapNode tree, List<String> texts) {
            List<Node> nodes = texts.stream()
                    .<Node>map(text -> ScalarNode.of(text, Origin.UNKNOWN))
                    .toList();
            MapNode overrides = MapNode.empty().with("task", new ListNode(nodes, Origin.UNKNOWN));
            MapNode root = tree.with("hydra", MapNode.empty().with("overrides", overrides));
            ResolverContext context =
                    new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty());
            Interpolator interpolator = Interpolator.of(root, Resolvers.standard(context), Dialect.HYDRA);
            List<String> evaluated = new ArrayList<>();
            for (int i = 0; i < texts.size(); i++) {
                Datum value = interpolator.evaluate("hydra.overrides.task." + i);
                evaluated.add(value instanceof Datum.Atom atom ? atom.scalar().text() : texts.get(i));
            }
            return evaluated;
        }
    }
}
