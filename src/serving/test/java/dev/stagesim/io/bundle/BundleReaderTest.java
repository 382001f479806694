package dev.stagesim.io.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.BundleTables;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads small bundles written on a file system in memory. */
final class BundleReaderTest {
    private static final ModelCard MODEL = CardFiles.model("qwen3");
    private static final HardwareCard A100 = CardFiles.hardware("a100");
    private static final BundleRequest REQUEST = BundleRequest.of(MODEL, A100);

    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/bundle");

    @BeforeEach
    void write() throws IOException {
        BundleWriter writer = new BundleWriter(root, MODEL, "a100", "a100_dgx");
        writer.mlp(List.of(mlp(1, 1, 0.5), mlp(1, 8, 1), mlp(1, 8, 1), mlp(2, 1, 0.25)));
        writer.attention(
                List.of(
                        new BundleRow.Attention(1, 1, 64, 0, Stats.exact(3), Stats.exact(0.1)),
                        new BundleRow.Attention(1, 4, 0, 128, Stats.exact(2), Stats.exact(0.2)),
                        new BundleRow.Attention(2, 4, 0, 128, Stats.exact(1), Stats.exact(0.3))),
                16,
                "test");
        writer.allReduce(List.of(new BundleRow.Transfer(2, 2, 8, 2048 * 3, Stats.exact(7))));
        writer.sendRecv(List.of(
                new BundleRow.Transfer(2, 1, 8, 2048, Stats.exact(9)),
                new BundleRow.Transfer(2, 2, 8, 2048, Stats.exact(5))));
    }

    private static BundleRow.Mlp mlp(int degree, int tokens, double ms) {
        return new BundleRow.Mlp(
                degree, tokens, Collections.nCopies(BundleTables.MLP_OPERATORS.size(), Stats.exact(ms)));
    }

    private void edit(String file, UnaryOperator<String> change) throws IOException {
        Path path = root.resolve(file);
        Files.writeString(path, change.apply(Files.readString(path)));
    }

    private Profile profile(BundleRequest request) throws IOException {
        return BundleReader.read(root, request).profile();
    }

    @Test
    void readsRowsOfTheRequestedDegreeOnce() throws IOException {
        Profile profile = profile(REQUEST);
        assertThat(profile.curve(Operator.ADD).orElseThrow().rows()).isEqualTo(2);
        assertThat(profile.curve(Operator.ADD).orElseThrow().milliseconds(0)).isEqualTo(0.5);
        assertThat(profile.prefill().rows()).isEqualTo(1);
        assertThat(profile.prefill().count(0)).isEqualTo(64);
        assertThat(profile.decode().kvTokens(0)).isEqualTo(128);
        assertThat(profile.curve(Operator.ATTN_KV_CACHE_SAVE).orElseThrow().size(0))
                .isEqualTo(64);
        assertThat(profile.curve(Operator.ATTN_KV_CACHE_SAVE).orElseThrow().size(1))
                .isEqualTo(4);
    }

    @Test
    void readsTheMedianOrTheMean() throws IOException {
        BundleWriter writer = new BundleWriter(root, MODEL, "a100", "a100_dgx");
        Stats skewed = new Stats(1, 6, 3, 2, 2.2);
        writer.mlp(List.of(new BundleRow.Mlp(1, 1, Collections.nCopies(BundleTables.MLP_OPERATORS.size(), skewed))));
        writer.attention(
                List.of(
                        new BundleRow.Attention(1, 1, 64, 0, skewed, skewed),
                        new BundleRow.Attention(1, 4, 0, 128, skewed, skewed)),
                16,
                "test");
        Profile medians = profile(REQUEST);
        Profile means = profile(REQUEST.withMeans(true));
        assertThat(medians.curve(Operator.ADD).orElseThrow().milliseconds(0)).isEqualTo(2);
        assertThat(means.curve(Operator.ADD).orElseThrow().milliseconds(0)).isEqualTo(3);
        assertThat(medians.decode().milliseconds(0)).isEqualTo(2);
        assertThat(means.decode().milliseconds(0)).isEqualTo(3);
        assertThat(means.prefill().milliseconds(0)).isEqualTo(3);
    }

    @Test
    void reportsADegreeWithoutPrefillRows() {
        assertThatThrownBy(() -> profile(REQUEST.onDevices(2, 1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no rows for attn_prefill, expected some with prefill_chunk_size > 0");
    }

    @Test
    void convertsBytesToTokensAndSelectsTransfersByNodes() throws IOException {
        edit("compute/a100/Qwen/Qwen3-0.6B/attention.csv", text -> text.replace(",16,1,", ",16,2,"));
        Profile inside = profile(REQUEST.onDevices(2, 4));
        assertThat(inside.curve(Operator.ALL_REDUCE).orElseThrow().size(0)).isEqualTo(3);
        assertThat(inside.curve(Operator.SEND_RECV).orElseThrow().milliseconds(0))
                .isEqualTo(5);
        Profile across = profile(REQUEST.onDevices(2, 8));
        assertThat(across.curve(Operator.SEND_RECV).orElseThrow().milliseconds(0))
                .isEqualTo(9);
    }

    @Test
    void usesTheNearestBlockSizeUnlessVidurIsReproduced() throws IOException {
        BundleRequest missing = REQUEST.withBlockSize(32);
        assertThat(BundleReader.read(root, missing).warnings()).anyMatch(text -> text.contains("are those of 16"));
        assertThatThrownBy(() -> profile(missing.withVidurRules(true)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no row has block_size = 32")
                .hasMessageContaining("there are     16");
    }

    @Test
    void detectsAnotherModelUnderTheSameName() {
        BundleRequest other = BundleRequest.of(CardFiles.model("qwen3_1_7b"), A100)
                .in(Optional.empty(), Optional.of("Qwen/Qwen3-0.6B"), Optional.empty());
        assertThatThrownBy(() -> profile(other))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("mlp.csv: no row has n_embd = 2048")
                .hasMessageContaining("attention.csv: no row has n_embd = 2048")
                .hasMessageContaining("there are     1024");
    }

    @Test
    void reportsFileAndLineOfInvalidTimes() throws IOException {
        edit(
                "compute/a100/Qwen/Qwen3-0.6B/attention.csv",
                text -> text.replaceFirst("3\\.0,3\\.0,3\\.0,3\\.0", "3.0,3.0,3.0,slow"));
        assertThatThrownBy(() -> profile(REQUEST))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(
                        "attention.csv:2: column 'time_stats.attn_prefill.median' is 'slow', expected a number");
    }

    @Test
    void rejectsNegativeTimes() throws IOException {
        edit(
                "compute/a100/Qwen/Qwen3-0.6B/attention.csv",
                text -> text.replaceFirst("3\\.0,3\\.0,3\\.0,3\\.0", "3,3,3,-3"));
        assertThatThrownBy(() -> profile(REQUEST)).hasMessageContaining("expected a time of at least 0 ms");
    }

    @Test
    void omitsEmptyTimesExceptInReferenceMode() throws IOException {
        edit("compute/a100/Qwen/Qwen3-0.6B/mlp.csv", text -> {
            String[] lines = text.split("\n", -1);
            String[] header = lines[0].split(",", -1);
            String[] cells = lines[1].split(",", -1);
            cells[List.of(header).indexOf("time_stats.attn_rope.median")] = "";
            lines[1] = String.join(",", cells);
            return String.join("\n", lines);
        });
        Bundle bundle = BundleReader.read(root, REQUEST);
        assertThat(bundle.profile().curve(Operator.ATTN_ROPE).orElseThrow().rows())
                .isEqualTo(1);
        assertThat(bundle.warnings()).anyMatch(w -> w.contains("1 of 2 rows have no 'time_stats.attn_rope.median'"));
        assertThatThrownBy(() -> profile(REQUEST.asVidur(151936)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("mlp.csv:2: column 'time_stats.attn_rope.median' is empty");
    }

    @Test
    void warnsOfAMissingHeadWidth() throws IOException {
        for (String file : List.of("mlp.csv", "attention.csv")) {
            edit("compute/a100/Qwen/Qwen3-0.6B/" + file, text -> text.replace("head_dim", "other"));
        }
        assertThat(BundleReader.read(root, REQUEST).warnings()).anyMatch(w -> w.contains("head_dim is not recorded"));
    }

    @Test
    void selectsFoldersByGeneration() {
        assertThat(PathPart.slug("A100-SXM-80GB")).isEqualTo("a100_sxm_80gb");
        BundleRequest h100 = BundleRequest.of(MODEL, CardFiles.hardware("h100"));
        assertThatThrownBy(() -> profile(h100))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no device fits 'h100_sxm_80gb'")
                .hasMessageContaining("options       a100");
    }

    @Test
    void rejectsAnotherCardOfTheSameGeneration() throws IOException {
        BundleWriter other = new BundleWriter(root, MODEL, "a100_pcie_40gb", "a100_pcie_40gb");
        other.mlp(List.of(mlp(1, 1, 99)));
        assertThat(BundleReader.read(root, REQUEST).device()).isEqualTo("a100");
    }
}
