package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A YAML file of named targets or workloads: a list of entries with a name, or a mapping by name. */
public final class Catalog {
    static final List<String> TARGET_KEYS =
            List.of(("name vendor instance_type accelerators_per_node num_nodes memory_gb_per_accel "
                            + "interconnect host_cpu_arch numeric collectives max_batch_tokens container_base cost")
                    .split(" ", 0));

    static final List<String> WORKLOAD_KEYS = List.of(
            ("name framework model_family params parallelism sequence precision dataloader " + "duration_minutes track")
                    .split(" ", 0));

    private Catalog() {}

    /** Returns a target by name. The {@link StageException} lists all missing keys. */
    public static JsonValue.Obj target(Path file, String name) throws IOException {
        return entry(file, "target", name, TARGET_KEYS);
    }

    /** Returns a workload by name. The {@link StageException} lists all missing keys. */
    public static JsonValue.Obj workload(Path file, String name) throws IOException {
        return entry(file, "workload", name, WORKLOAD_KEYS);
    }

    /** Returns the names of all entries in file order. */
    public static List<String> names(Path file) throws IOException {
        return names(Yaml.read(file, Yaml.Rules.PYTHON).value());
    }

    private static List<String> names(JsonValue data) {
        List<String> names = new ArrayList<>();
        if (data instanceof JsonValue.Obj byName) {
            names.addAll(byName.members().keySet());
        } else if (data instanceof JsonValue.Arr list) {
            for (JsonValue item : list.items()) {
                if (item instanceof JsonValue.Obj entry) {
                    Plain.text(entry, "name").ifPresent(names::add);
                }
            }
        }
        return names;
    }

    private static JsonValue.Obj entry(Path file, String what, String name, List<String> required) throws IOException {
        JsonValue.Obj entry = entry(file, what, name);
        Fields fields = new Fields();
        fields.require(new Fields.Tree(file + ": " + what + " " + name, entry), required);
        fields.check();
        return entry;
    }

    /** Returns an entry by name without checks. */
    public static JsonValue.Obj entry(Path file, String what, String name) throws IOException {
        LocatedJson document = Yaml.read(file, Yaml.Rules.PYTHON);
        Optional<JsonValue> found = find(document.value(), name);
        if (found.isEmpty()) {
            List<String> names = names(document.value());
            throw StageException.input(
                    Problem.artifact(file.toString(), "there is no " + what + " named '" + name + "'")
                            .options(names)
                            .didYouMean(Suggest.near(name, names)));
        }
        return new LocatedJson(file.toString(), "/" + name, found.get()).object();
    }

    private static Optional<JsonValue> find(JsonValue data, String name) {
        if (data instanceof JsonValue.Obj byName) {
            return byName.get(name);
        }
        if (!(data instanceof JsonValue.Arr list)) {
            return Optional.empty();
        }
        return list.items().stream()
                .filter(item -> item instanceof JsonValue.Obj entry
                        && Plain.text(entry, "name").filter(name::equals).isPresent())
                .findFirst();
    }
}
