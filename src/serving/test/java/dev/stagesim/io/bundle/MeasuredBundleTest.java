package dev.stagesim.io.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads bundles with measurements of real devices. */
final class MeasuredBundleTest {
    @BeforeEach
    void corpusIsThere() {
        MeasuredBundles.root();
    }

    @Test
    void readsLlama2OnOneDevice() throws IOException {
        Bundle bundle = BundleReader.read(MeasuredBundles.root(), MeasuredBundles.llama2On("a100", 1));
        Profile profile = bundle.profile();
        assertThat(bundle.device()).isEqualTo("a100");
        assertThat(profile.curve(Operator.MLP_UP_PROJ).orElseThrow().rows()).isEqualTo(261);
        assertThat(profile.curve(Operator.ALL_REDUCE)).isEmpty();
        assertThat(bundle.warnings()).anyMatch(w -> w.contains("attn_kv_cache_save"));
    }

    @Test
    void readsLlama2OnFourDevicesWithStagesAndHost() throws IOException {
        BundleRequest request =
                MeasuredBundles.llama2On("a100", 4).onDevices(4, 2).withHostOverheads(true);
        Profile profile = BundleReader.read(MeasuredBundles.root(), request).profile();
        assertThat(profile.curve(Operator.ALL_REDUCE).orElseThrow().rows()).isEqualTo(2248);
        assertThat(profile.curve(Operator.ALL_REDUCE).orElseThrow().size(1)).isEqualTo(10240 / 8192.0);
        assertThat(profile.curve(Operator.SEND_RECV)).isPresent();
        assertThat(profile.curve(Operator.RAY_COMM_TIME)).isPresent();
    }

    @Test
    void readsDenseAttentionMeasurements() throws IOException {
        Profile profile = BundleReader.read(MeasuredBundles.root(), MeasuredBundles.qwen2OnA30())
                .profile();
        assertThat(profile.prefill().rows()).isEqualTo(652);
        assertThat(profile.decode().rows()).isEqualTo(3840);
        assertThat(profile.curve(Operator.ATTN_KV_CACHE_SAVE).orElseThrow().rows())
                .isEqualTo(4492);
    }

    @Test
    void requiresAChoiceOfSeveralMatchingNetworks() {
        BundleRequest request =
                MeasuredBundles.llama2On("a100", 2).in(Optional.empty(), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> BundleReader.read(MeasuredBundles.root(), request))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("several network devices fit 'a100_sxm_80gb'")
                .hasMessageContaining("a100_dgx, a100_pairwise_nvlink");
    }

    @Test
    void listsModelsWhenTheRequestedOneIsMissing() {
        BundleRequest request = BundleRequest.of(CardFiles.model("qwen3"), CardFiles.hardware("a100"));
        assertThatThrownBy(() -> BundleReader.read(MeasuredBundles.root(), request))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'Qwen/Qwen3-0.6B' is not in the bundle")
                .hasMessageContaining("meta-llama/Llama-2-7b-hf");
    }

    @Test
    void listsDevicesWhenTheRequestedOneIsMissing() {
        BundleRequest request = BundleRequest.of(CardFiles.model("llama2_7b"), CardFiles.hardware("b200"));
        assertThatThrownBy(() -> BundleReader.read(MeasuredBundles.root(), request))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no device fits 'b200_sxm_180gb'")
                .hasMessageContaining("a100, a30, a40, h100");
    }

    @Test
    void listsDegreesWhenTheRequestedOneIsMissing() {
        BundleRequest request = MeasuredBundles.llama2On("a100", 16);
        assertThatThrownBy(() -> BundleReader.read(MeasuredBundles.root(), request))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no row has num_tensor_parallel_workers = 16")
                .hasMessageContaining("1, 2, 4, 8")
                .hasMessageContaining("all_reduce.csv");
    }

    @Test
    void readsTheVocabularySizeOfVidur() throws IOException {
        BundleRequest vidur = MeasuredBundles.llama2On("a100", 1).asVidur(32768);
        assertThat(BundleReader.read(MeasuredBundles.root(), vidur)
                        .profile()
                        .prefill()
                        .rows())
                .isPositive();
        assertThatThrownBy(() -> BundleReader.read(
                        MeasuredBundles.root(),
                        MeasuredBundles.llama2On("a100", 1).asVidur(32000)))
                .hasMessageContaining("no row has vocab_size = 32000");
    }
}
