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

/** Steps of calculon. */
public final class CalculonSuite extends TrainingSuite {
    public CalculonSuite() {
        super(
                "training-calculon",
                "Steps of calculon: every figure and layer to 1e-9 relative, and the kind of refusals; searches are no"
                        + " cases of this suite");
    }

    /** False for a search of calculon: the searches of the product are its own. */
    @Override
    boolean isCase(Path folder) {
        return !Files.isRegularFile(folder.resolve("search.json"));
    }

    @Override
    void replay(Path folder, Expectation expected) throws IOException {
        String outcome = "";
        try {
            Application app = given(folder, "application.json", CalculonFiles::application);
            Machine machine = given(folder, "system.json", CalculonFiles::machine);
            step(folder, app, machine, expected);
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
}
