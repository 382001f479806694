package dev.stagesim.pipeline;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.model.Problem;
import dev.stagesim.pipeline.request.CardChanges;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Inputs, warnings, headline metrics and failed checks of a running stage. Several threads of the stage may use it. */
final class StageWork implements StageContext {
    private final Plan<?> plan;
    private final String stage;
    private final Path out;
    private final Path home;
    private final Path cache;
    private final Map<String, RunInput> inputs;
    private final PipelineListener listener;
    private final Collection<Runnable> endings = new ConcurrentLinkedQueue<>();
    private final Limits limits;
    private volatile Optional<Path> journal = Optional.empty();
    private final List<String> warnings = new ArrayList<>();
    private final SortedMap<String, Double> headlines = new TreeMap<>();
    private final List<Problem> checks = new ArrayList<>();

    /** Creates the context of a stage that is about to run. */
    StageWork(
            Plan<?> plan,
            Path out,
            Path home,
            Path cache,
            Map<String, RunInput> inputs,
            PipelineListener listener,
            Limits limits) {
        this.limits = limits;
        this.plan = plan;
        this.stage = plan.name();
        this.out = out;
        this.home = home;
        this.cache = cache;
        this.inputs = inputs;
        this.listener = listener;
    }

    @Override
    public Path out() {
        return out;
    }

    @Override
    public RunInput input(String role) {
        RunInput input = inputs.get(role);
        if (input == null) {
            throw new IllegalStateException(stage + " has no input " + role + ", only " + inputs.keySet());
        }
        return input;
    }

    @Override
    public Path home() {
        return home;
    }

    @Override
    public Optional<Path> cache() {
        return Optional.of(cache);
    }

    @Override
    public void saveConfig(String name, Map<String, Object> changes) throws IOException {
        ConfigSnapshot.keep(out.resolve(name), plan, changes);
    }

    @Override
    public Optional<String> choice(String group) {
        return plan.request().choices().getOrDefault(group, Optional.empty());
    }

    @Override
    public boolean isSet(String key) {
        return plan.request().isSet(key);
    }

    @Override
    public RunConditions conditions(RunConditions ofCards) {
        return ofCards.changed(CardChanges.in(plan.request(), "model"), CardChanges.in(plan.request(), "hardware"));
    }

    @Override
    public void progress(String what, long done, long total) {
        listener.progress(stage, what, done, total);
    }

    @Override
    public void notice(String message) {
        listener.notice(stage, message);
    }

    @Override
    public void endsWith(Runnable end) {
        endings.add(end);
    }

    @Override
    public void expect(Estimate estimate) {
        limits.check(stage, estimate, Limits.free(out)).ifPresent(this::notice);
    }

    @Override
    public void resumesFrom(Path file) {
        journal = Optional.of(file);
    }

    Optional<Path> journal() {
        return journal;
    }

    /** Ends the work early. Returns false if the stage has not registered a way to end. */
    boolean end() {
        endings.forEach(Runnable::run);
        return !endings.isEmpty();
    }

    @Override
    public void warn(String message) {
        synchronized (warnings) {
            if (warnings.contains(message)) {
                return;
            }
            warnings.add(message);
        }
        listener.warning(stage, message);
    }

    /** Records a headline. A value that is not finite is undefined, so it is not recorded. */
    @Override
    public void headline(String name, double value) {
        synchronized (headlines) {
            if (headlines.containsKey(name)) {
                throw new IllegalStateException(stage + " gives the headline " + name + " twice");
            }
            if (Double.isFinite(value)) {
                headlines.put(name, value);
            }
        }
    }

    @Override
    public void checkFailed(Problem problem) {
        synchronized (checks) {
            checks.add(problem);
        }
    }

    String stage() {
        return stage;
    }

    List<String> warnings() {
        synchronized (warnings) {
            return List.copyOf(warnings);
        }
    }

    SortedMap<String, Double> headlines() {
        synchronized (headlines) {
            return new TreeMap<>(headlines);
        }
    }

    List<Problem> checks() {
        synchronized (checks) {
            return List.copyOf(checks);
        }
    }
}
