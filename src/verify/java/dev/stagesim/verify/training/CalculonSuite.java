package dev.stagesim.verify.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.training.CalculonFiles;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.training.calculon.Application;
import dev.stagesim.sim.training.calculon.CalculonStep;
import dev.stagesim.sim.training.calculon.Machine;
import dev.stagesim.sim.training.calculon.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Steps and searches of calculon. */
public final class CalculonSuite extends TrainingSuite {
    public CalculonSuite() {
        super(
                "training-calculon",
                "Steps and searches of calculon: every figure and layer to 1e-9 relative, the kind of refusals, counts,"
                        + " order and figures of searches");
    }

    @Override
    void replay(Path folder, Expectation expected) throws IOException {
        String outcome = "";
        try {
            Application app = given(folder, "application.json", CalculonFiles::application);
            Machine machine = given(folder, "system.json", CalculonFiles::machine);
            if (Files.isRegularFile(folder.resolve("search.json"))) {
                search(folder, app, machine, expected);
            } else {
                step(folder, app, machine, expected);
            }
        } catch (Refusal refusal) {
            outcome = refusal.kind().name().toLowerCase(Locale.ROOT);
        }
        expected.same("/kind", expected.refusal(), outcome);
    }

    /** What a file says; what our reader refuses of it is what the tool asserts. */
    private static <T> T given(Path folder, String file, Function<JsonAt, T> reader) throws IOException {
        JsonAt json = read(folder, file);
        try {
            return reader.apply(json);
        } catch (StageException refused) {
            throw Refusal.rejected(String.valueOf(refused.getMessage()));
        }
    }

    private static void step(Path folder, Application app, Machine machine, Expectation expected) throws IOException {
        CalculonStep.Result result =
                CalculonStep.run(app, machine, given(folder, "execution.json", CalculonFiles::execution), true);
        if (!expected.refusal().isEmpty()) {
            return;
        }
        expected.value("/parameters", expected.recorded().get("parameters"), app.parameters());
        JsonAt stats = expected.recorded().get("stats");
        expected.members(stats, result.figures().all(), "layers");
        List<JsonAt> layers = stats.get("layers").items();
        expected.same("/stats/layers", layers.size(), result.layers().size());
        for (int i = 0; i < Math.min(layers.size(), result.layers().size()); i++) {
            expected.same(
                    layers.get(i).pointer() + "/name",
                    layers.get(i).get("name").asString(),
                    result.layers().get(i).name());
            expected.members(layers.get(i), result.layers().get(i).figures().all(), "name");
        }
    }

    private static void search(Path folder, Application app, Machine machine, Expectation expected) throws IOException {
        CalculonSearch.Answer answer = CalculonSearch.run(app, machine, question(read(folder, "search.json")));
        if (!expected.refusal().isEmpty()) {
            return;
        }
        JsonAt recorded = expected.recorded();
        expected.same("/executions", recorded.get("executions").asLong(), answer.executions());
        expected.same("/good", recorded.get("good").asLong(), answer.good());
        expected.same("/bad", recorded.get("bad").asLong(), answer.bad());
        List<JsonAt> best = recorded.get("best").items();
        expected.same("/best", best.size(), answer.best().size());
        for (int i = 0; i < Math.min(best.size(), answer.best().size()); i++) {
            CalculonSearch.Found found = answer.best().get(i);
            expected.same(
                    best.get(i).pointer() + "/execution",
                    CalculonFiles.execution(best.get(i).get("execution")),
                    found.execution());
            for (String name : new String[] {
                "sample_rate", "total_time", "proc_mem_tier1_cap_req", "total_efficiency",
            }) {
                expected.value(
                        best.get(i).pointer() + "/" + name,
                        best.get(i).get(name),
                        found.figures().get(name));
            }
        }
    }

    private static CalculonSearch.Question question(JsonAt json) {
        return new CalculonSearch.Question(
                json.get("num_procs").asLong(),
                json.get("max_batch_size").asLong(),
                json.get("datatype").asString(),
                json.get("top_n").asInt(),
                json.get("mbs_break").asBool(),
                json.get("fused_activation").items().stream()
                        .map(JsonAt::asBool)
                        .toList());
    }
}
