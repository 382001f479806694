package dev.stagesim.stage.vidurprofile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.predict.Interpolation;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.Range;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.serving.config.ProfileSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class VidurProfileStageTest {
    private static final HostOverhead.Step STEP = new HostOverhead.Step(100, 10);

    private static FakeContext run(String model, String hardware, ProfileSettings profile) throws IOException {
        FakeContext context = new FakeContext();
        new VidurProfileStage()
                .run(
                        new VidurProfileSettings(
                                CardFiles.model(model), CardFiles.hardware(hardware), profile, Defaults.engine()),
                        context);
        return context;
    }

    private static BundleRequest request(String model, String hardware) {
        return BundleRequest.of(CardFiles.model(model), CardFiles.hardware(hardware));
    }

    private static Interpolation interpolation() {
        return new Interpolation(Range.measured(64), Extrapolation.NONE, OptionalDouble.of(0.2));
    }

    @Test
    void declaresItsTables() {
        VidurProfileStage stage = new VidurProfileStage();
        assertThat(stage.spec().name()).isEqualTo("vidur_profile");
        assertThat(stage.spec().measuring()).isFalse();
        assertThat(stage.spec().tables()).hasSize(7);
    }

    @Test
    void profilesTheSmallestModelOnOneDevice() throws IOException {
        FakeContext context = run("qwen3", "a100", ProfileDefaults.roofline(1, 2));
        assertThat(context.files())
                .containsOnlyKeys(
                        "compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/attention.csv",
                        "compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/mlp.csv",
                        "network/a100_sxm_80gb/all_reduce.csv",
                        "network/a100_sxm_80gb/send_recv.csv",
                        "provenance.json",
                        "summary.md");
        assertThat(context.warnings).isEmpty();
        assertThat(context.headlines.get("decode_step_b1_kv1024_ms")).isBetween(0.6, 2.5);
    }

    @Test
    void predictsTheRowsOfTheBundleThatItReads() throws IOException {
        FakeContext context = run("qwen3", "a100", ProfileDefaults.roofline(1, 2));
        Bundle bundle =
                BundleReader.read(context.out(), request("qwen3", "a100").onDevices(2, 2));
        assertThat(bundle.warnings()).isEmpty();
        OperatorTimes times = interpolation().fit(bundle.profile());
        assertThat(times.coverage()).isEqualTo(new OperatorTimes.Coverage(4096, 128, 4096, 4096, 64));
        assertThat(times.milliseconds(Operator.ATTN_PRE_PROJ, 1)).isPositive();
        assertThat(times.milliseconds(Operator.ALL_REDUCE, 64)).isBetween(0.0045, 0.008);
        assertThat(times.milliseconds(Operator.SEND_RECV, 64)).isBetween(0.0045, 0.008);
        assertThat(times.prefillMilliseconds(0, 4096)).isGreaterThan(times.prefillMilliseconds(0, 512));
    }

    @Test
    void writesTheSameBytesTwice() throws IOException {
        Map<String, String> first =
                run("llama3_8b", "h100", ProfileDefaults.roofline(1, 8)).files();
        assertThat(run("llama3_8b", "h100", ProfileDefaults.roofline(1, 8)).files())
                .isEqualTo(first);
    }

    @Test
    void omitsSizesThatDoNotDivideTheModelWithAWarning() throws IOException {
        FakeContext context = run("qwen2_7b", "a30", ProfileDefaults.roofline(1, 8));
        assertThat(context.warnings).singleElement().asString().contains("8 (does not divide");
        assertThat(context.files().keySet()).noneMatch(name -> name.contains("all_reduce"));
    }

    @Test
    void rejectsAProfileWithoutSizes() {
        assertThatThrownBy(() -> run("qwen2_7b", "a30", ProfileDefaults.roofline(8)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no size can be profiled");
    }

    @Test
    void profilesLatentAttention() throws IOException {
        FakeContext context = run("deepseek_v3", "h200", ProfileDefaults.roofline(8));
        Bundle bundle =
                BundleReader.read(context.out(), request("deepseek_v3", "h200").onDevices(8, 1));
        OperatorTimes times = interpolation().fit(bundle.profile());
        // One compressed cache for all heads: 576 values per token, not 2 x 16 heads of 192.
        double bytes = 128 * 4096 * 576 * 2.0;
        assertThat(times.decodeMilliseconds(128, 4096)).isBetween(bytes / 4.8e12 * 1e3, 3 * bytes / 4.8e12 * 1e3);
    }

    @Test
    void profilesExperts() throws IOException {
        FakeContext context = run("qwen3_30b_a3b", "h100", ProfileDefaults.roofline(1));
        assertThat(context.files().get("summary.md")).contains("mixture-of-experts layers");
        OperatorTimes times = interpolation()
                .fit(BundleReader.read(context.out(), request("qwen3_30b_a3b", "h100"))
                        .profile());
        assertThat(times.milliseconds(Operator.MLP_UP_PROJ, 512))
                .isGreaterThan(2 * times.milliseconds(Operator.MLP_UP_PROJ, 1));
    }

    @Test
    void writesHostTimesWhenModelled() throws IOException {
        HostOverhead host = new HostOverhead.Linear(STEP, STEP, STEP, STEP, STEP);
        FakeContext context = run("qwen3", "a100", ProfileDefaults.with(host));
        Bundle bundle =
                BundleReader.read(context.out(), request("qwen3", "a100").withHostOverheads(true));
        OperatorTimes times = interpolation().fit(bundle.profile());
        assertThat(times.milliseconds(Operator.SCHEDULE, 16)).isEqualTo(0.26);
        assertThat(times.milliseconds(Operator.RAY_COMM_TIME, 1)).isEqualTo(0.11);
    }

    @Test
    void rejectsHostOverheadsThatAreMissing() throws IOException {
        FakeContext context = run("qwen3", "a100", ProfileDefaults.roofline(1));
        assertThatThrownBy(() -> BundleReader.read(
                        context.out(), request("qwen3", "a100").withHostOverheads(true)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("cpu_overhead");
    }

    @Test
    void reportsAMissingFolderWhenReading() throws IOException {
        FakeContext context = run("qwen3", "a100", ProfileDefaults.roofline(1));
        BundleRequest requested =
                request("qwen3", "a100").withHostOverheads(true).onDevices(2, 2);
        assertThat(BundleReader.files(context.out(), requested)).isNotEmpty();
        assertThatThrownBy(() -> BundleReader.read(context.out(), requested))
                .hasMessageContainingAll("cpu_overhead", "num_tensor_parallel_workers = 2");
    }

    @Test
    void checksUnusedColumns() throws IOException {
        FakeContext context = run("qwen3", "a100", ProfileDefaults.roofline(1));
        Path mlp = context.out().resolve("compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/mlp.csv");
        List<String> lines = new ArrayList<>(Files.readAllLines(mlp));
        int column = List.of(lines.get(0).split(",")).indexOf("time_stats.emb.median");
        List<String> odd = List.of("NaN", "-5", "");
        for (int i = 0; i < odd.size(); i++) {
            String[] cells = lines.get(i + 2).split(",", -1);
            cells[column] = odd.get(i);
            lines.set(i + 2, String.join(",", cells));
        }
        Files.write(mlp, lines);
        assertThat(BundleReader.read(context.out(), request("qwen3", "a100")).warnings())
                .singleElement()
                .asString()
                .contains("mlp.csv:3", "'time_stats.emb.median' is 'NaN'", "3 of 5 rows");
    }

    @Test
    void namesTheSourceOfEveryValue() throws IOException {
        String summary =
                run("qwen3", "a100", ProfileDefaults.roofline(1)).files().get("summary.md");
        assertThat(summary).contains("hardware.kernels.product16", "0.8000", "aiconfigurator", "no engine");
        String unmeasured =
                run("qwen3", "tpu_v5e", ProfileDefaults.roofline(1)).files().get("summary.md");
        assertThat(unmeasured).contains("no values for this architecture: defaults");
    }

    @Test
    void importsABundleUnderTheNamesOfTheCards() throws IOException {
        FakeContext made = run("qwen3", "a100", ProfileDefaults.roofline(1, 2));
        FakeContext context = run("qwen3", "a100", ProfileDefaults.importing(made.out(), 1, 2));
        Map<String, String> files = context.files();
        String mlp = "compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/mlp.csv";
        assertThat(files.get(mlp)).isEqualTo(made.files().get(mlp));
        assertThat(files).containsKey("network/a100_sxm_80gb/all_reduce.csv");
        assertThat(files.get("provenance.json")).doesNotContain("/run");
    }

    @Test
    void identifiesAnImportByTheFilesItReads() throws IOException {
        FakeContext made = run("qwen3", "a100", ProfileDefaults.roofline(1, 2));
        VidurProfileStage stage = new VidurProfileStage();
        VidurProfileSettings settings = new VidurProfileSettings(
                CardFiles.model("qwen3"),
                CardFiles.hardware("a100"),
                ProfileDefaults.importing(made.out(), 1, 2),
                Defaults.engine());
        assertThat(stage.reads(settings, made.out()).stream().map(Path::toString))
                .containsExactly(
                        "/run/compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/attention.csv",
                        "/run/compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/mlp.csv",
                        "/run/network/a100_sxm_80gb/all_reduce.csv",
                        "/run/network/a100_sxm_80gb/send_recv.csv");
    }

    @Test
    void importsCompleteSizesWhenNoSizeIsRequested() throws IOException {
        FakeContext made = run("qwen3", "a100", ProfileDefaults.roofline(1, 2, 4));
        Path allReduce = made.out().resolve("network/a100_sxm_80gb/all_reduce.csv");
        List<String> two = Files.readAllLines(allReduce).stream()
                .filter(line -> !line.contains(",0,4,"))
                .toList();
        Files.write(allReduce, two);
        FakeContext context = run("qwen3", "a100", ProfileDefaults.importing(made.out()));
        assertThat(context.files().get("summary.md")).contains("tensor-parallel sizes 1, 2.");
        assertThat(context.warnings).anySatisfy(warning -> assertThat(warning)
                .contains("tensor-parallel size 4 is skipped", "num_workers = 4"));
    }

    @Test
    void reportsAllMissingFilesOfAnImport() throws IOException {
        FakeContext made = run("qwen3", "a100", ProfileDefaults.roofline(1));
        Path attention = made.out().resolve("compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/attention.csv");
        Files.writeString(
                attention, Files.readString(attention).replaceFirst("attn_prefill\\.median", "attn_prefil.median"));
        assertThatThrownBy(() -> run("qwen3", "a100", ProfileDefaults.importing(made.out(), 1, 4)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("column 'time_stats.attn_prefill.median' is missing")
                .hasMessageContaining("time_stats.attn_prefil.median")
                .hasMessageContaining("no row has num_tensor_parallel_workers = 4")
                .hasMessageContaining("all_reduce.csv");
    }

    @Test
    void namesTheExpectedFilesWhenAnImportFails() {
        FakeContext empty = new FakeContext();
        assertThatThrownBy(() -> run("qwen3", "a100", ProfileDefaults.importing(empty.out(), 1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no profiling bundle, expected compute/<device>/<model>");
    }
}
