package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Effort;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.Upstream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A stage with bound settings and its inputs, ready to run.
 *
 * @param stage the stage
 * @param settings its settings
 * @param tree the settings as a tree with every key, including defaults
 * @param request the request, projected on the stage
 * @param inputs its inputs, in the stage's order
 * @param reads the files that its result depends on
 */
public record Plan<S extends Record>(
        Stage<S> stage, S settings, MapNode tree, RunRequest request, List<Input> inputs, List<Read> reads) {
    /** A file as the settings name it, and its resolved path. */
    public record Read(Path given, Path file) {}

    /** One input: a finished run that the user named, or a plan to make it. */
    public record Input(Upstream upstream, Optional<RunRef> given, Optional<Plan<?>> made) {
        public String runType() {
            return given.map(run -> run.meta().runType()).orElse(upstream.stage());
        }

        /** Returns this input under the role that another stage uses for it. The key does not change. */
        public Input as(String role) {
            Upstream renamed = new Upstream(role, upstream.stage(), upstream.accepts(), upstream.key(), upstream.dir());
            return new Input(renamed, given, made);
        }
    }

    public Plan {
        inputs = List.copyOf(inputs);
        reads = List.copyOf(reads);
    }

    public String name() {
        return stage.spec().name();
    }

    /** True if the result depends on this machine. */
    public boolean measures() {
        return stage.measures(settings);
    }

    /** Returns the expected cost of the run, without upstream runs. */
    public Effort effort() {
        return stage.effort(settings);
    }

    /** True if repetitions of the run have different ids. */
    public boolean repeatable() {
        return stage.repeatable(settings);
    }

    /** Returns this plan and all its upstream plans. */
    public Stream<Plan<?>> all() {
        return Stream.concat(
                Stream.of(this),
                inputs.stream().flatMap(input -> input.made().stream()).flatMap(Plan::all));
    }
}
