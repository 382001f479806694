package dev.stagesim.stage.vidurprofile;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.json.Json;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.serving.config.ProfileSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the profiler with fake Python scripts, and once with PyTorch if it is installed. */
@EnabledOnOs({OS.LINUX, OS.MAC})
final class TorchProfilerTest {
    private static final ModelCard MODEL = CardFiles.model("qwen3");
    private static final HardwareCard HARDWARE = CardFiles.hardware("a100");

    @TempDir
    private Path dir;

    private static ProfileSettings.Torch settings(String python, int stallS, ProfileSettings.TorchDevice device) {
        return KeyRecord.of(
                ProfileSettings.Torch.class,
                Map.ofEntries(
                        entry("python", python),
                        entry("device", device),
                        entry("dtype", ProfileSettings.TorchType.AUTO),
                        entry(
                                "threads",
                                device == ProfileSettings.TorchDevice.CUDA ? Optional.empty() : Optional.of(1)),
                        entry("warmup", 1),
                        entry("repeats", 2),
                        entry(
                                "grid",
                                new ProfileSettings.Grid(List.of(1, 8), List.of(1, 16), List.of(0, 64), List.of(1, 2))),
                        entry("tensorParallelSizes", List.of(1)),
                        entry("pipelineParallel", false),
                        entry("blockSize", 16),
                        entry("quality", List.of(ProfileSettings.EvaluatedPredictor.INTERPOLATION)),
                        entry("timeoutS", 120),
                        entry("stallS", stallS)));
    }

    /** Returns settings with two processes of one thread each that exchange data. */
    private static ProfileSettings.Torch withTransfers(String python) {
        ProfileSettings.Torch one = settings(python, 100, ProfileSettings.TorchDevice.CPU);
        return KeyRecord.with(
                ProfileSettings.Torch.class,
                one,
                Map.of("python", python, "tensorParallelSizes", List.of(2), "pipelineParallel", true));
    }

    private String fake(String... lines) throws IOException {
        Path file = dir.resolve("python");
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file.toString();
    }

    private static FakeContext run(ProfileSettings.Torch settings) throws IOException {
        FakeContext context = new FakeContext();
        run(settings, context);
        return context;
    }

    private static void run(ProfileSettings.Torch settings, FakeContext context) throws IOException {
        new VidurProfileStage().run(new VidurProfileSettings(MODEL, HARDWARE, settings, Defaults.engine()), context);
    }

    private Path cannedResult() throws IOException {
        String stats = BundleTables.MLP_OPERATORS.stream()
                .map(name -> "\"" + name + "\":[1,3,2,2,0.5]")
                .collect(Collectors.joining(","));
        StringBuilder text = new StringBuilder("{\"environment\":{\"python\":\"3\",\"torch\":\"2\",\"device\":\"X\",");
        text.append("\"device_type\":\"cpu\",\"dtype\":\"float32\",\"attention\":\"sdpa\",\"threads\":1},");
        text.append("\"left_out\":[\"chunk 16 after 64\"],\"not_measured\":[\"all_reduce of 2: no\"],\"mlp\":[");
        text.append("{\"tensor_parallel\":1,\"tokens\":1,\"stats\":{")
                .append(stats)
                .append("}},");
        text.append("{\"tensor_parallel\":1,\"tokens\":8,\"stats\":{")
                .append(stats)
                .append("}}],\"attention\":[");
        int[][] rows = {{1, 1, 0}, {1, 1, 64}, {1, 16, 0}, {1, 0, 0}, {1, 0, 64}, {2, 0, 0}, {2, 0, 64}};
        for (int i = 0; i < rows.length; i++) {
            text.append(i == 0 ? "" : ",")
                    .append("{\"tensor_parallel\":1,\"batch\":")
                    .append(rows[i][0]);
            text.append(",\"chunk\":").append(rows[i][1]).append(",\"kv\":").append(rows[i][2]);
            text.append(",\"time\":[1,1,1,1,0],\"cache_write\":[0.1,0.1,0.1,0.1,0]}");
        }
        text.append("],\"transfers\":[{\"what\":\"send_recv\",\"workers\":2,\"tokens\":8,\"time\":[1,1,1,1,0]}");
        Path file = dir.resolve("canned.json");
        Files.writeString(file, text.append("]}"));
        return file;
    }

    @Test
    void writesABundleFromTheMeasurements() throws IOException {
        String python = fake("echo progress 1 2 tokens 1", "cp " + cannedResult() + " \"$3\"");
        FakeContext context = run(settings(python, 60, ProfileSettings.TorchDevice.AUTO));
        Bundle bundle = BundleReader.read(context.out(), BundleRequest.of(MODEL, HARDWARE));
        assertThat(bundle.profile().prefill().rows()).isEqualTo(3);
        assertThat(bundle.profile().decode().rows()).isEqualTo(4);
        assertThat(context.warnings)
                .anyMatch(w -> w.contains("measured on 'X' (cpu)"))
                .anyMatch(w -> w.contains("1 sizes exceeded"))
                .anyMatch(w -> w.contains("not measured: all_reduce of 2: no"));
        assertThat(BundleReader.read(
                                context.out(), BundleRequest.of(MODEL, HARDWARE).onDevices(1, 2))
                        .profile()
                        .curve(Operator.SEND_RECV))
                .hasValueSatisfying(curve -> assertThat(curve.size(0)).isEqualTo(8));
        assertThat(Json.read(context.out().resolve("provenance.json"))
                        .get("environment")
                        .get("torch")
                        .asString())
                .isEqualTo("2");
        assertThat(context.headlines).containsEntry("layer_32_tokens_ms", 18.0);
    }

    @Test
    void reportsAMissingPython() {
        assertThatThrownBy(() -> run(settings(dir.resolve("none").toString(), 60, ProfileSettings.TorchDevice.AUTO)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.python")
                .hasMessageContaining("cannot run");
    }

    @Test
    void reportsAPythonWithoutTorch() throws IOException {
        String python = fake("echo \"error torch No module named 'torch'\"", "exit 3");
        assertThatThrownBy(() -> run(settings(python, 60, ProfileSettings.TorchDevice.AUTO)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("has no PyTorch: No module named 'torch'")
                .hasMessageContaining("python3-torch");
    }

    @Test
    void reportsMissingCuda() throws IOException {
        String python = fake("echo error cuda torch 2 sees no CUDA device", "exit 3");
        assertThatThrownBy(() -> run(settings(python, 60, ProfileSettings.TorchDevice.CUDA)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.device")
                .hasMessageContaining("sees no CUDA device");
    }

    @Test
    void leavesNoFilesWhenAChildFails() throws IOException {
        String python = fake("echo half > \"$3\"", "echo boom >&2", "exit 1");
        FakeContext context = new FakeContext();
        assertThatThrownBy(() -> run(settings(python, 60, ProfileSettings.TorchDevice.AUTO), context))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.kind()).isEqualTo(StageException.Kind.FAILED))
                .hasMessageContaining("exited with code 1")
                .hasMessageContaining("boom");
        assertThat(context.files()).isEmpty();
    }

    @Test
    void endsAChildThatStalls() throws IOException {
        String python = fake("sleep 60");
        assertThatThrownBy(() -> run(settings(python, 1, ProfileSettings.TorchDevice.AUTO)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.stall_s")
                .hasMessageContaining("no case finished within 1 s");
    }

    @Test
    void rejectsUnsupportedModels() {
        FakeContext context = new FakeContext();
        ModelCard experts = CardFiles.model("mixtral_8x7b");
        ProfileSettings.Torch settings = settings("python3", 60, ProfileSettings.TorchDevice.AUTO);
        assertThatThrownBy(() -> new VidurProfileStage()
                        .run(new VidurProfileSettings(experts, HARDWARE, settings, Defaults.engine()), context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("a mixture of experts");
    }

    @Test
    void rejectsCpuThreadsForGpuMeasurements() {
        ProfileSettings.Torch settings = KeyRecord.of(
                ProfileSettings.Torch.class,
                Map.ofEntries(
                        entry("device", ProfileSettings.TorchDevice.CUDA),
                        entry("threads", Optional.of(2)),
                        entry("warmup", 1),
                        entry("repeats", 2),
                        entry("grid", new ProfileSettings.Grid(List.of(1), List.of(1), List.of(0), List.of(1))),
                        entry("tensorParallelSizes", List.of(1, 3)),
                        entry("quality", List.of()),
                        entry("timeoutS", 120),
                        entry("stallS", 60)));
        assertThatThrownBy(() -> run(settings))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.threads: has no effect")
                .hasMessageContaining("3 does not divide the heads");
    }

    @Test
    void dependsOnTheMachineOnlyWhenMeasured() {
        VidurProfileStage stage = new VidurProfileStage();
        ProfileSettings.Torch torch = settings("python3", 60, ProfileSettings.TorchDevice.AUTO);
        assertThat(stage.measures(new VidurProfileSettings(MODEL, HARDWARE, torch, Defaults.engine())))
                .isTrue();
    }

    @Test
    @Tag("long")
    void measuresWithPyTorch() throws Exception {
        Optional<String> python = withTorch();
        if (python.isEmpty()) {
            installOnDebian();
            python = withTorch();
        }
        assumeTrue(python.isPresent(), "no Python with PyTorch here (Debian: apt-get install python3-torch)");
        FakeContext context = run(withTransfers(python.orElseThrow()));
        Bundle bundle = BundleReader.read(
                context.out(), BundleRequest.of(MODEL, HARDWARE).onDevices(2, 2));
        assertThat(bundle.profile().curves()).containsKeys(Operator.ALL_REDUCE, Operator.SEND_RECV);
        assertThat(bundle.profile().prefill().rows()).isEqualTo(4);
        assertThat(bundle.profile().decode().rows()).isEqualTo(4);
        assertThat(context.headlines.get("layer_32_tokens_ms")).isPositive();
    }

    /** Installs packages on Debian if the user is root. */
    private static void installOnDebian() throws InterruptedException {
        if (!Files.isExecutable(Path.of("/usr/bin/apt-get"))
                || !System.getProperty("user.name").equals("root")) {
            return;
        }
        try {
            ProcessBuilder install = new ProcessBuilder("apt-get", "install", "-y", "-q", "python3-torch")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD);
            install.environment().put("DEBIAN_FRONTEND", "noninteractive");
            Process process = install.start();
            if (!process.waitFor(5, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            // JUnit reports the test as skipped.
        }
    }

    private static Optional<String> withTorch() throws InterruptedException {
        for (String python : List.of("python3", "/usr/bin/python3")) {
            if (imports(python)) {
                return Optional.of(python);
            }
        }
        return Optional.empty();
    }

    private static boolean imports(String python) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(python, "-c", "import torch")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // The interpreter does not exist.
        }
    }
}
