package dev.stagesim.pipeline;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.Conditions;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.contract.BundleTables;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.ModelFiles;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.Repetition;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StagePlanning;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Binds settings and finds inputs of a stage and its upstream stages, before anything runs. */
record Planner(StageRegistry registry, RunReader reader, RunStore store, Path home, Path workDir) {
    /**
     * Plans a run that the user requested.
     *
     * @throws StageException (input) with every problem of settings, inputs and overrides without effect
     */
    <S extends Record> PlannedRun<S> plan(Stage<S> stage, RunRequest request, RunOptions options) throws IOException {
        Plan<S> plan = plan(stage, request, request.bindOptions(), Map.of());
        List<Problem> problems = new ArrayList<>(NoEffect.overrides(plan));
        if (options.repeat().isPresent() && plan.all().noneMatch(Plan::repeatable)) {
            problems.add(Problem.of(
                    "usage error",
                    "repeat=" + options.repetition(),
                    "has no effect: no stage of this run measures, so its result is always the same"));
        }
        if (options.format() != TableFormat.CSV
                && BundleTables.ALL.containsAll(stage.spec().tables())) {
            problems.add(Problem.of(
                    "usage error",
                    "output.format",
                    "has no effect: " + stage.spec().name()
                            + (stage.spec().tables().isEmpty()
                                    ? " writes no tables"
                                    : " writes only the tables of a bundle, which stay CSV")));
        }
        StageException.refuse(problems);
        return new PlannedRun<>(plan, options);
    }

    /**
     * Plans one stage.
     *
     * @param fed inputs that the downstream stage supplies, by role
     */
    private <S extends Record> Plan<S> plan(
            Stage<S> stage, RunRequest request, BindOptions binding, Map<String, Plan.Input> fed) throws IOException {
        S settings = Binder.bind(request.config(), stage.spec().settings(), binding);
        List<Plan.Input> inputs = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Upstream upstream : stage.upstreams(settings, home)) {
            collect(problems, () -> {
                Optional<Plan.Input> shared = shared(upstream, fed);
                inputs.add(shared.isPresent() ? shared.get() : input(upstream, stage, request, inputs));
            });
        }
        problems.addAll(Conditions.problems(settings));
        List<Plan.Read> reads = new ArrayList<>();
        collect(problems, () -> check(stage, settings, reads));
        if (!problems.isEmpty()) {
            throw StageException.input(problems.stream().distinct().toList());
        }
        return new Plan<>(stage, settings, Sections.tree(stage, settings), request, inputs, reads);
    }

    /** Returns the input that the downstream stage supplies, if it has the required type. */
    private static Optional<Plan.Input> shared(Upstream upstream, Map<String, Plan.Input> fed) {
        return Optional.ofNullable(fed.get(upstream.role()))
                .filter(input -> upstream.dir().isEmpty() && upstream.takes(input.runType()))
                .map(input -> input.as(upstream.role()));
    }

    private static Map<String, Plan.Input> fed(Upstream upstream, List<Plan.Input> inputs) {
        Map<String, Plan.Input> fed = new HashMap<>();
        upstream.fed().forEach((there, here) -> inputs.stream()
                .filter(input -> input.upstream().role().equals(here))
                .forEach(input -> fed.put(there, input)));
        return fed;
    }

    private interface Step {
        void take() throws IOException;
    }

    private static void collect(List<Problem> problems, Step step) throws IOException {
        try {
            step.take();
        } catch (StageException e) {
            if (e.kind() != StageException.Kind.INPUT) {
                throw e;
            }
            problems.addAll(e.problems());
        }
    }

    private <S extends Record> void check(StagePlanning<S> stage, S settings, List<Plan.Read> reads)
            throws IOException {
        stage.check(settings, home);
        List<Problem> problems = new ArrayList<>();
        MapNode own = Sections.own(Sections.tree(stage, settings), stage.spec().settings());
        List<Path> files = new ArrayList<>(stage.reads(settings, home));
        ModelFiles.named(own, SettingsSchema.of(stage.spec().settings())).forEach(name -> files.add(Path.of(name)));
        for (Path given : files) {
            boolean isInstalled = given.startsWith(home); // the working directory can be in another file system
            Path file = isInstalled ? given : workDir.resolve(given.toString());
            reads.add(new Plan.Read(given, file));
            collect(problems, () -> RunReader.refuseMissing(file));
        }
        StageException.refuse(problems);
    }

    private Plan.Input input(Upstream upstream, Stage<?> stage, RunRequest request, List<Plan.Input> before)
            throws IOException {
        if (upstream.dir().isPresent()) {
            return new Plan.Input(
                    upstream, Optional.of(given(upstream, upstream.dir().get())), Optional.empty());
        }
        Stage<?> executor = registry.get(upstream.stage());
        RunRequest projected = Sections.project(request, stage, executor, upstream.changes());
        return new Plan.Input(
                upstream,
                Optional.empty(),
                Optional.of(plan(executor, projected, request.bindOptions().projecting(), fed(upstream, before))));
    }

    private RunRef given(Upstream upstream, Path dir) throws IOException {
        Path resolved = workDir.resolve(dir.toString());
        store.restore(resolved);
        RunRef run = reader.readVerified(resolved, upstream.key());
        String type = run.meta().runType();
        if (!upstream.takes(type)) {
            List<String> accepted = new ArrayList<>(upstream.accepts());
            if (!accepted.contains(upstream.stage())) {
                accepted.add(0, upstream.stage());
            }
            throw StageException.input(
                    Problem.artifact(upstream.key(), dir + " is a run of " + type + ", which cannot be used here")
                            .options(accepted));
        }
        return run;
    }

    /** Finds overrides of sections that no stage reads, because the affected input is given as a directory. */
    private static final class NoEffect {
        private NoEffect() {}

        static List<Problem> overrides(Plan<?> plan) {
            Set<String> directoryKeys = plan.all()
                    .flatMap(part -> part.inputs().stream())
                    .filter(input -> input.given().isPresent())
                    .map(input -> input.upstream().key())
                    .collect(Collectors.toSet());
            Set<String> sections =
                    Sections.passedTo(plan.stage().spec().settings()).keySet();
            List<Problem> problems = new ArrayList<>();
            for (String override : plan.request().overrides()) {
                String section = Sections.of(override);
                boolean isExempt = !sections.contains(section)
                        || Repetition.FORMAT.matcher(override).matches()
                        || directoryKeys.contains(Sections.key(override));
                if (!isExempt && !isRead(plan, section)) {
                    Set<String> instead = new TreeSet<>();
                    givenInstead(plan, section, instead);
                    String why = instead.isEmpty()
                            ? "nothing in this run reads it"
                            : "has no effect because " + String.join(" and ", instead) + " is given";
                    problems.add(Problem.config(override, why));
                }
            }
            return problems;
        }

        /** True if the stage, or one of its planned upstream stages, reads the section. */
        private static boolean isRead(Plan<?> plan, String section) {
            List<String> roles =
                    Sections.passedTo(plan.stage().spec().settings()).get(section);
            if (roles == null) {
                return false;
            }
            if (Sections.isRead(plan.stage().spec().settings(), section)
                    && !ignoredSections(plan).contains(section)) {
                return true;
            }
            return decides(plan, section)
                    || plan.inputs().stream()
                            .filter(input -> roles.contains(input.upstream().role()))
                            .filter(input -> !input.upstream().changes().containsKey(section))
                            .flatMap(input -> input.made().stream())
                            .anyMatch(made -> isRead(made, section));
        }

        private static <S extends Record> boolean decides(Plan<S> plan, String section) {
            return plan.stage().deciding(plan.settings()).contains(section);
        }

        private static <S extends Record> List<String> ignoredSections(Plan<S> plan) {
            return plan.stage().ignoredSections(plan.settings());
        }

        private static void givenInstead(Plan<?> plan, String section, Set<String> keys) {
            List<String> roles =
                    Sections.passedTo(plan.stage().spec().settings()).get(section);
            if (roles == null) {
                return;
            }
            for (Plan.Input input : plan.inputs()) {
                if (roles.contains(input.upstream().role())) {
                    if (input.given().isPresent()) {
                        keys.add(input.upstream().key());
                    }
                    input.made().ifPresent(made -> givenInstead(made, section, keys));
                }
            }
        }
    }
}
