package dev.stagesim.config.interp;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.io.digest.Sha256;
import java.util.List;

/** Resolvers that name runs: the stage's facts, the time, stable ids. */
final class RunResolvers {
    private static final int ID_DIGITS = 10;

    private RunResolvers() {}

    static List<Resolver> all(ResolverContext context) {
        return List.of(
                new Resolver(
                        "stage",
                        "path",
                        "A fact about the stage being run: its name, the job's number, the choices made.",
                        1,
                        1,
                        (arguments, call) -> runtime(arguments.get(0), call, context.runtime())),
                new Resolver(
                        "now",
                        "format",
                        "The time of the invocation in strftime's notation; the same for all jobs of a sweep.",
                        1,
                        1,
                        (arguments, call) -> Datum.of(Strftime.format(call.text(arguments.get(0)), context.now()))),
                new Resolver(
                        "stable_id",
                        "prefix[, value, ...]",
                        "The prefix and 10 hexadecimal digits that depend on the values alone.",
                        1,
                        Resolver.ANY,
                        RunResolvers::stableId));
    }

    private static Datum runtime(Datum path, ResolverCall call, MapNode runtime) {
        Evaluation facts = new Evaluation(Resolvers.of(List.of()), dev.stagesim.config.grammar.Dialect.STAGE);
        String key = call.text(path);
        return facts.find(Cell.root(runtime), key, true)
                .map(facts::plain)
                .orElseThrow(() -> InterpolationException.failed("the stage has no fact '" + key + "'"));
    }

    /** Hashes a JSON list of all values, the prefix not among them. */
    private static Datum stableId(List<Datum> arguments, ResolverCall call) {
        List<Datum> values = arguments.subList(1, arguments.size()).stream()
                .map(call::plain)
                .map(Canonical::sorted)
                .toList();
        String digest = Sha256.hex(StageText.json(new Datum.Sequence(values)));
        return Datum.of(call.text(arguments.get(0)) + digest.substring(0, ID_DIGITS));
    }
}
