package dev.stagesim.stage.vidursim;

import static java.util.Map.entry;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.stage.Checks;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.vidurprofile.VidurProfileSettings;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Small simulated runs in memory: a workload, a computed bundle, and settings to vary. */
final class SimRuns {
    static final SimulationSettings.Metrics NO_METRICS =
            new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), false, false, Optional.empty());

    final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    final Path workload = files.getPath("/workload");
    Path bundle = files.getPath("/bundle");

    String model = "qwen3";
    String hardware = "a100";
    SchedulerSettings scheduler = new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.empty(), 512);
    ClusterSettings cluster = cluster(1, 1, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());
    SimulationSettings.Overheads overheads = new SimulationSettings.Overheads(
            Optional.of(0.1), Optional.of(0.1), 0.02, 0, Optional.empty(), Optional.of(false));
    SimulationSettings.Metrics metrics = NO_METRICS;
    ProfileSettings profile = ProfileDefaults.roofline(1, 2);
    int traceEvents;
    LabelSettings asked = LabelSettings.NONE;
    Optional<Boolean> tokenMetrics = Optional.empty();
    Optional<Boolean> batchMetrics = Optional.empty();
    OutputSettings output = Defaults.output();
    boolean resumable;
    boolean report;
    CompatMode compat = CompatMode.NONE;
    private int runs;

    SimRuns() throws IOException {
        Files.createDirectories(workload);
        Files.createDirectories(bundle);
        fillBundle();
        requests(20, 100, 12);
    }

    /** Replaces the bundle by one of another profile. */
    void profile(ProfileSettings.Roofline other) throws IOException {
        profile = other;
        bundle = Files.createDirectories(files.getPath("/bundle" + other.hashCode()));
        fillBundle();
    }

    /** Replaces the model, the device and the bundle. */
    void subject(String newModel, String newHardware) throws IOException {
        model = newModel;
        hardware = newHardware;
        bundle = Files.createDirectories(files.getPath("/bundle-" + model + "-" + hardware));
        fillBundle();
    }

    private void fillBundle() throws IOException {
        VidurProfileSettings made = new VidurProfileSettings(
                CardFiles.model(model), CardFiles.hardware(hardware), profile, Defaults.engine());
        new VidurProfileStage().run(made, new FakeContext(bundle, files.getPath("/")));
    }

    static ClusterSettings cluster(int replicas, int tp, int pp, GlobalPolicy policy, Optional<Long> seed) {
        return new ClusterSettings(replicas, tp, pp, 0.1, Optional.empty(), policy, seed);
    }

    /** Writes requests at intervals of 1.25 ms. */
    void requests(int count, int prompt, int output) throws IOException {
        List<String> lengths = new ArrayList<>();
        List<String> intervals = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lengths.add(i + ",p," + prompt + "," + output);
            intervals.add(i + "," + (i == 0 ? 0 : 1_250_000) + "," + i * 1_250_000L);
        }
        lengths(lengths);
        intervals(intervals);
    }

    void lengths(List<String> rows) throws IOException {
        write("trace_lengths.csv", "request_id,prompt_id,num_prefill_tokens,num_decode_tokens", rows);
    }

    void intervals(List<String> rows) throws IOException {
        write("trace_intervals.csv", "request_id,inter_arrival_ns,arrival_time_ns", rows);
    }

    /** Writes requests. Every second request continues the one before it with 30 new tokens. */
    void turns(int count, int prompt, int output) throws IOException {
        List<String> lengths = new ArrayList<>();
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < count; i += 2) {
            lengths.add(i + ",p," + prompt + "," + output);
            lengths.add((i + 1) + ",p," + (prompt + output + 30) + "," + output);
            tokens.add((i + 1) + "," + SharedTokens.promptOf(i) + "," + prompt);
            tokens.add((i + 1) + "," + SharedTokens.outputOf(i) + "," + output);
        }
        lengths(lengths);
        write("trace_tokens.csv", "request_id,first_token,num_tokens", tokens);
    }

    /** Writes labels: every second request selects one of three adapters, every fourth is urgent. */
    void labels(int count) throws IOException {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(i + "," + (i % 2 == 0 ? 0 : 1 + i % 3) + "," + (i % 4 == 0 ? 0 : 1));
        }
        write("trace_labels.csv", "request_id,adapter,priority", rows);
    }

    private void write(String name, String header, List<String> rows) throws IOException {
        Files.writeString(workload.resolve(name), header + "\n" + String.join("\n", rows) + "\n");
    }

    VidurSimSettings settings() {
        PredictorSettings.Range range =
                new PredictorSettings.Range(64, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        return KeyRecord.of(
                VidurSimSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model(model)),
                        entry("hardware", CardFiles.hardware(hardware)),
                        entry(
                                "workload",
                                KeyRecord.of(
                                        ServingWorkload.class,
                                        Map.ofEntries(
                                                entry("lengths", new LengthSettings.Fixed(100, 12)),
                                                entry("rows", RowSettings.ALL),
                                                entry("sharing", new SharingSettings.None()),
                                                entry("labels", asked)))),
                        entry("arrival", new ArrivalSettings.AtOnce()),
                        entry("profile", profile),
                        entry("engine", Defaults.engine()),
                        entry("profiling", new ProfilingInput(Optional.empty())),
                        entry(
                                "predictor",
                                new PredictorSettings.Interpolation(
                                        range,
                                        Extrapolation.NONE,
                                        Optional.empty(),
                                        PredictorSettings.Statistic.MEDIAN)),
                        entry("scheduler", scheduler),
                        entry("cluster", cluster),
                        entry(
                                "simulation",
                                new SimulationSettings(
                                        Optional.empty(),
                                        Optional.empty(),
                                        overheads,
                                        tokenMetrics,
                                        batchMetrics,
                                        traceEvents,
                                        metrics,
                                        resumable,
                                        report)),
                        entry("output", output),
                        entry("compat", compat)));
    }

    FakeContext run() throws IOException {
        Path out = files.getPath("/out" + runs++);
        Files.createDirectories(out);
        FakeContext context = new FakeContext(out, files.getPath("/"))
                .with("workload", workload, "workload")
                .with("profiling", bundle, "vidur_profile");
        Checks.check(new VidurSimStage(), settings(), files.getPath("/"));
        new VidurSimStage().run(settings(), context);
        return context;
    }

    /** Returns rows of a table as text by column. Reading checks the schema. */
    static List<List<String>> rows(FakeContext context, TableSchema schema) throws IOException {
        Path file = context.out().resolve(schema.name());
        long rows = 0;
        try (TableReader reader = TableReader.open(file, schema)) {
            while (reader.next()) {
                rows++;
            }
        }
        return rows == 0
                ? List.of()
                : Files.readAllLines(file).stream()
                        .skip(1)
                        .map(line -> List.of(line.split(",", -1)))
                        .toList();
    }
}
