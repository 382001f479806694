package dev.stagesim.stage;

import dev.stagesim.model.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A context for stage tests with fixed directories and inputs. Records the reports of the stage. */
public final class FakeContext implements StageContext {
    private final Path out;
    private final Path home;
    private Optional<Path> cache = Optional.empty();
    private final Map<String, RunInput> inputs = new LinkedHashMap<>();
    private final Set<String> keys = new HashSet<>();
    private final Map<String, String> choices = new LinkedHashMap<>();
    public final List<String> warnings = new ArrayList<>();
    public final Map<String, Double> headlines = new LinkedHashMap<>();
    public final List<Problem> failedChecks = new ArrayList<>();

    /** Progress messages of the stage. */
    public final List<String> progress = new ArrayList<>();

    /** Estimates of the stage. */
    public final List<Estimate> expected = new ArrayList<>();

    /** Output lines of the stage. */
    public final BlockingQueue<String> output = new LinkedBlockingQueue<>();

    /** Actions that stop the stage. */
    public final BlockingQueue<Runnable> endings = new LinkedBlockingQueue<>();

    public FakeContext(Path out, Path home) {
        this.out = out;
        this.home = home;
    }

    /** Sets the input of a role to a directory of a fictitious run. */
    public FakeContext with(String role, Path directory, String runType) {
        inputs.put(role, new RunInput(directory, runType + "-" + role, runType, "0".repeat(64)));
        return this;
    }

    /** Sets the chosen option of a configuration group. */
    public FakeContext choosing(String group, String option) {
        choices.put(group, option);
        return this;
    }

    @Override
    public Optional<String> choice(String group) {
        return Optional.ofNullable(choices.get(group));
    }

    /** Adds a key that an override sets. */
    public FakeContext setting(String key) {
        keys.add(key);
        return this;
    }

    @Override
    public boolean isSet(String key) {
        return keys.contains(key);
    }

    /** Sets the cache directory. */
    public FakeContext withCache(Path directory) {
        cache = Optional.of(directory);
        return this;
    }

    @Override
    public Optional<Path> cache() {
        return cache;
    }

    @Override
    public Path out() {
        return out;
    }

    @Override
    public RunInput input(String role) {
        return Objects.requireNonNull(inputs.get(role), role);
    }

    @Override
    public Path home() {
        return home;
    }

    @Override
    public void expect(Estimate estimate) {
        expected.add(estimate);
    }

    @Override
    public synchronized void progress(String what, long done, long total) {
        progress.add(what + " " + done + "/" + total);
    }

    @Override
    public void notice(String message) {
        output.add(message);
    }

    @Override
    public void endsWith(Runnable end) {
        endings.add(end);
    }

    @Override
    public void warn(String message) {
        warnings.add(message);
    }

    @Override
    public void headline(String name, double value) {
        headlines.put(name, value);
    }

    @Override
    public void checkFailed(Problem problem) {
        failedChecks.add(problem);
    }
}
