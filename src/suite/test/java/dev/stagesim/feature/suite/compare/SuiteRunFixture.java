package dev.stagesim.feature.suite.compare;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.feature.suite.measured.SuiteArtifacts;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A measured suite workload for tests, as its run directory; every layer's roofline is 1000 ns, its array 700. */
public final class SuiteRunFixture {
    private record Layer(String name, String direction, String type, long measured) {}

    private final String label;
    private final String family;
    private final List<Layer> layers = new ArrayList<>();
    private List<String> losses = List.of("a", "a");
    private boolean isCompiled;
    private long step = 2000;
    private double accounted = 0.98;

    public SuiteRunFixture(String label, String family) {
        this.label = label;
        this.family = family;
    }

    public SuiteRunFixture layer(String name, String direction, String type, long measuredNs) {
        layers.add(new Layer(name, direction, type, measuredNs));
        return this;
    }

    /** Digests of the losses by process. */
    public SuiteRunFixture losses(String... digests) {
        losses = List.of(digests);
        return this;
    }

    public SuiteRunFixture compiled() {
        isCompiled = true;
        return this;
    }

    /** Training step of the first process; the second takes 500 ns more. */
    public SuiteRunFixture step(long ns) {
        step = ns;
        return this;
    }

    public SuiteRunFixture accounted(double share) {
        accounted = share;
        return this;
    }

    public Path write(Path run) throws IOException {
        Files.createDirectories(run);
        Json.write(run.resolve(SuiteArtifacts.FRAMEWORK.name()), SuiteArtifacts.FRAMEWORK, about());
        steps(run);
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.INPUTS.name()), SuiteTables.INPUTS)) {
            rows.put(0L).put(0L).put(300L).put(0L).endRow();
        }
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.OPS.name()), SuiteTables.OPS)) {
            for (Layer layer : layers) {
                rows.put(layer.name() + "/MatMul").put(layer.name()).put(layer.direction());
                rows.put("MatMul")
                        .put(1L)
                        .put(layer.measured())
                        .put(layer.measured())
                        .endRow();
            }
        }
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.LAYERS.name()), SuiteTables.LAYERS)) {
            for (Layer layer : layers) {
                rows.put(layer.name()).put(layer.direction()).put(layer.type());
                rows.put(layer.measured()).put(10L).put(10L);
                rows.put(1000.0).put(700.0).endRow();
            }
        }
        return run;
    }

    private void steps(Path run) throws IOException {
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.STEPS.name()), SuiteTables.STEPS)) {
            for (long process = 0; process < losses.size(); process++) {
                for (String phase : List.of("train", "trace", "infer")) {
                    rows.put(process).put(0L).put(phase).put(step + 500 * process);
                    rows.put("1.0").putEmpty().put(4L).endRow();
                }
            }
        }
    }

    private JsonValue setting() {
        return JsonValue.object()
                .put("device", "cpu")
                .put("precision", "float")
                .put("xla", isCompiled)
                .put("inter_threads", 1L)
                .put("intra_threads", 1L)
                .put("batch", 4L)
                .build();
    }

    private JsonValue about() {
        return JsonValue.object()
                .put("schema_version", SuiteArtifacts.FRAMEWORK.version())
                .put("label", label)
                .put("family", family)
                .put("requested", setting())
                .put("actual", setting())
                .put("substitutions", JsonValue.strings(List.of("device: x")))
                .put("tensorflow", "2.18.0")
                .put("engine", "tf 1.1.0")
                .put("parameters", 7L)
                .put("processes", (long) losses.size())
                .put("build_ns", 1L)
                .put("first_step_ns", 2L)
                .put("loss_sha256", JsonValue.strings(losses))
                .put("peak_bytes", 3L)
                .put("probe_flops_per_ns", 1.0)
                .put("probe_bytes_per_ns", 1.0)
                .put("array", "a.cfg")
                .put("clock_ghz", 2.0)
                .put(
                        "accounting",
                        JsonValue.object()
                                .put("one_thread", true)
                                .put("traced_step_ns", 2000.0)
                                .put("operations_ns", 1850.0)
                                .put("around_ns", 50.0)
                                .put("between_ns", 48.0)
                                .put("outside_ns", 12.0)
                                .put("accounted_over_step", accounted)
                                .put("plain_step_ns", 1900.0)
                                .put("operations_over_plain_step", 0.97)
                                .put("closes", true)
                                .build())
                .build();
    }
}
