package dev.stagesim.pipeline;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.stage.Effort;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.Upstream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is to be run: a stage with bound settings, and where its inputs come from.
 *
 * @param stage the stage
 * @param settings its settings
 * @param tree the settings as a tree: every key, defaults included
 * @param request the request, projected on the stage
 * @param inputs its inputs, in the stage's order
 * @param reads the files that its result depends on
 */
record Plan<S extends Record>(
        Stage<S> stage, S settings, MapNode tree, RunRequest request, List<Input> inputs, List<Read> reads) {
    /** A file as the settings name it, and where it is. */
    record Read(Path given, Path file) {}

    /** One input: a finished run that the user named, or else a plan to make it. */
    record Input(Upstream upstream, Optional<RunRef> given, Optional<Plan<?>> made) {
        String runType() {
            return given.map(run -> run.meta().runType()).orElse(upstream.stage());
        }

        /** The same run in another stage's role; the key stays the one by which the user names it. */
        Input as(String role) {
            Upstream renamed = new Upstream(role, upstream.stage(), upstream.accepts(), upstream.key(), upstream.dir());
            return new Input(renamed, given, made);
        }
    }

    Plan {
        inputs = List.copyOf(inputs);
        reads = List.copyOf(reads);
    }

    String name() {
        return stage.spec().name();
    }

    /** True when the result depends on this machine. */
    boolean measures() {
        return stage.measures(settings);
    }

    /** What the run itself is expected to take. */
    Effort effort() {
        return stage.effort(settings);
    }

    /** True when repetitions of the run are told apart. */
    boolean repeatable() {
        return stage.repeatable(settings);
    }

    /** This plan and all it rests on. */
    Stream<Plan<?>> all() {
        return Stream.concat(
                Stream.of(this),
                inputs.stream().flatMap(input -> input.made().stream()).flatMap(Plan::all));
    }
}
