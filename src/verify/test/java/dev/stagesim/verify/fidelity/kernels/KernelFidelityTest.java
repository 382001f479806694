package dev.stagesim.verify.fidelity.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.verify.fidelity.corpus.Cards;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KernelFidelityTest {
    private static final Cards CARDS = new Cards() {
        @Override
        public Optional<ModelCard> model(String option) {
            return Optional.of(CardFiles.model(option));
        }

        @Override
        public Optional<HardwareCard> hardware(String option) {
            return option.contains("abacus") ? Optional.empty() : Optional.of(CardFiles.hardware(option));
        }

        @Override
        public Optional<StepCard> engine(String option) {
            return Optional.of(CardFiles.engine(option));
        }
    };

    private static void write(Path file, String text) throws IOException {
        try (OutputStream packed = new GZIPOutputStream(Files.newOutputStream(file))) {
            packed.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Measured times of both layouts, an eager row, and a device without a card. */
    @Test
    void evaluatesKernelsOfBothLayouts(@TempDir Path dir) throws IOException {
        write(
                dir.resolve("gemm.csv.gz"),
                """
                gpu,engine,version,dtype,m,n,k,time_us
                H100-SXM-80GB,sglang,0.5.14,bfloat16,4096,4096,4096,193
                Abacus,sglang,0.5.14,bfloat16,4096,4096,4096,193
                """);
        write(
                dir.resolve("moe.csv.gz"),
                """
                system,framework,moe_dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,distribution,latency
                b300_sxm,SGLang,nvfp4,1024,7168,2048,8,256,1,8,balanced,0.3
                b300_sxm,SGLang,nvfp4,1024,7168,2048,8,256,1,8,power_law_1.2,0.3
                """);
        write(
                dir.resolve("allreduce.csv.gz"),
                """
                gpu,engine,version,dtype,gpus,elements,mode,time_us
                H100-SXM-80GB,vllm,0.24.0,bfloat16,8,65536,vllm_graph,7.9
                H100-SXM-80GB,vllm,0.24.0,bfloat16,8,65536,vllm_eager,80
                """);
        KernelFidelity report = KernelFidelity.of(dir, CARDS).orElseThrow();
        assertThat(report.headline()).startsWith("3 kernel times");
        String text = report.tables().stream().map(DataTable::markdown).collect(Collectors.joining());
        assertThat(text).contains("PRODUCT", "EXPERTS", "ALL_REDUCE", "no hardware card for Abacus");
        assertThat(report.csv()).hasSize(7);
        assertThat(report.html()).contains("Predictions of kernels");
    }

    /** AIConfigurator's attention, latent attention, and tables and rows without a prediction, which are counted. */
    @Test
    void evaluatesAttentionAndCountsOtherRows(@TempDir Path dir) throws IOException {
        String columns = "system,framework,op_name,batch_size,isl,num_heads,";
        write(
                dir.resolve("attention.csv.gz"),
                columns + "num_key_value_heads,head_dim,attn_dtype,kv_cache_dtype,window_size,step,latency\n"
                        + "h100_sxm,SGLang,context_attention,1,4096,32,8,128,bfloat16,bfloat16,0,4096,0.8\n"
                        + "h100_sxm,SGLang,generation_attention,128,1,32,8,128,bfloat16,bfloat16,0,8191,1.4\n");
        write(
                dir.resolve("mla.csv.gz"),
                columns + "mla_dtype,kv_cache_dtype,tp_size,step,latency\n"
                        + "h200_sxm,TRTLLM,mla_generation,128,1,16,bfloat16,bfloat16,8,8191,0.289\n"
                        + "h200_sxm,TRTLLM,mla_context,1,4096,16,bfloat16,bfloat16,8,0,0.15\n"
                        + "h200_sxm,VLLM,generation_mla,128,1,16,bfloat16,bfloat16,8,8191,0.4\n"
                        + "h200_sxm,TRTLLM,mla_generation_module,128,1,16,bfloat16,bfloat16,8,8191,0.4\n");
        write(
                dir.resolve("bmm.csv.gz"),
                """
                system,framework,version,op_name,kernel_source,bmm_dtype,num_tokens,num_heads,latency
                h200_sxm,VLLM,0.24.0,mla_gen_pre,vllm_torch_bmm,bfloat16,4096,128,0.1875
                h200_sxm,VLLM,0.24.0,mla_gen_pre,vllm_torch_bmm,fp8,4096,128,0.3
                """);
        write(dir.resolve("other.csv.gz"), "a,b\n1,2\n3,4\n");
        KernelFidelity report = KernelFidelity.of(dir, CARDS).orElseThrow();
        assertThat(report.headline()).startsWith("5 kernel times");
        for (String kind : List.of("PREFILL", "DECODE", "LATENT_DECODE", "LATENT_PREFILL", "HEAD_PRODUCTS")) {
            assertThat(report.csv()).anyMatch(line -> line.startsWith(kind + " all,1,"));
        }
        String text = report.tables().stream().map(DataTable::markdown).collect(Collectors.joining());
        assertThat(text)
                .contains(
                        "no column of a device or of one time: other.csv.gz | 2 |",
                        "not predicted: mla.csv.gz mla_generation_module | 1 |",
                        "times with the host's launches: LATENT_DECODE | 1 |",
                        "products of heads with a kernel that quantises the input | 1 |");
    }

    /** Whole modules of latent attention with their products; launches of vLLM and unknown models are counted. */
    @Test
    void evaluatesModulesOfLatentAttention(@TempDir Path dir) throws IOException {
        write(
                dir.resolve("modules.csv.gz"),
                """
                system,framework,version,op_name,architecture,mla_dtype,kv_cache_dtype,gemm_type,num_heads,batch_size,isl,step,latency
                h200_sxm,TRTLLM,1.3.0rc20,mla_generation_module,DeepseekV3ForCausalLM,bfloat16,bfloat16,bfloat16,128,64,1,8192,0.372
                h200_sxm,TRTLLM,1.3.0rc20,mla_context_module,DeepseekV3ForCausalLM,bfloat16,bfloat16,bfloat16,128,1,4096,0,3.363
                h200_sxm,SGLang,0.5.14,dsa_generation_module,DeepseekV32ForCausalLM,bfloat16,bfloat16,fp8_block,16,1,1,4096,0.085
                h200_sxm,SGLang,0.5.14,dsa_generation_module_skip_indexer,GlmMoeDsaForCausalLM,bfloat16,fp8,fp8_block,64,1,1,4096,0.094
                h200_sxm,SGLang,0.5.14,dsa_context_module,DeepseekV32ForCausalLM,bfloat16,bfloat16,fp8_block,128,1,128,0,0.754
                h200_sxm,VLLM,0.24.0,dsa_context_module,DeepseekV32ForCausalLM,bfloat16,bfloat16,bfloat16,128,16,4096,0,104.9
                h200_sxm,VLLM,0.24.0,mla_generation_module,DeepseekV3ForCausalLM,bfloat16,bfloat16,bfloat16,128,64,1,8192,0.376
                h200_sxm,TRTLLM,1.3.0rc20,mla_generation_module,KimiK3ForCausalLM,bfloat16,bfloat16,bfloat16,128,64,1,8192,0.372
                h200_sxm,TRTLLM,1.3.0rc20,dsa_context_module,GlmMoeDsaForCausalLM,bfloat16,bfloat16,bfloat16,128,1,1,0,0.1
                """);
        KernelFidelity report = KernelFidelity.of(dir, CARDS).orElseThrow();
        assertThat(report.csv())
                .anyMatch(line -> line.startsWith("DECODE_MODULE all,3,"))
                .anyMatch(line -> line.startsWith("PREFILL_MODULE all,3,"));
        for (String line : report.csv()) {
            assertThat(line.startsWith("group") ? 0 : Double.parseDouble(line.split(",", -1)[2]))
                    .isLessThan(40);
        }
        String text = report.tables().stream().map(DataTable::markdown).collect(Collectors.joining());
        assertThat(text)
                .contains(
                        "times with the host's launches: DECODE_MODULE | 1 |",
                        "no model card for KimiK3ForCausalLM | 1 |",
                        "more heads than zai-org/GLM-5 has | 1 |");
    }

    @ParameterizedTest
    @CsvSource({
        "1.3.0, 1.3.0rc18, true",
        "1.3.0rc18, 1.3.0, false",
        "1.3.0rc18, 1.3.0rc18, true",
        "1.3.0rc9, 1.3.0rc18, false",
        "1.2.1, 1.3.0rc18, false",
        "1.3.1rc1, 1.3.0, true",
        "0.23.0, 0.23, true",
        "0.22.1, 0.23, false",
        "0.5.5.post2, 0.5.5, true"
    })
    void ordersReleasesAfterTheirCandidates(String version, String first, boolean isSince) {
        assertThat(NewestVersions.isSince(version, first)).isEqualTo(isSince);
    }

    /** Recurrent layers, exchanges with two times per row, and rows of older versions, which are counted. */
    @Test
    void evaluatesStatesAndExchangesOfTheNewestVersion(@TempDir Path dir) throws IOException {
        write(
                dir.resolve("gdn.csv.gz"),
                """
                system,framework,version,op_name,kernel_source,phase,batch_size,seq_len,d_conv,num_k_heads,head_k_dim,num_v_heads,head_v_dim,latency
                h200_sxm,SGLang,0.5.9,gdn,causal_conv1d_fn,context,1,8192,4,16,128,64,128,0.5
                h200_sxm,SGLang,0.5.14,gdn,causal_conv1d_fn,context,1,8192,4,16,128,64,128,0.161
                h200_sxm,SGLang,0.5.14,gdn,chunk_gated_delta_rule,context,1,8192,4,16,128,64,128,1.309
                h200_sxm,SGLang,0.5.14,gdn,causal_conv1d_update,generation,1,1,4,16,128,64,128,0.0016
                h200_sxm,SGLang,0.5.14,gdn,fused_recurrent_kda,verify,1,4,4,16,128,64,128,0.005
                """);
        write(
                dir.resolve("deepep.csv.gz"),
                """
                system,framework,version,kernel_source,node_num,hidden_size,num_token,num_topk,num_experts,dispatch_sms,dispatch_transmit_us,dispatch_notify_us,combine_sms,combine_transmit_us,combine_notify_us
                h200_sxm,sglang,0.5.0,deepep,2,7168,4096,8,256,20,843.5,49.7,20,2099,50.5
                """);
        KernelFidelity report = KernelFidelity.of(dir, CARDS).orElseThrow();
        assertThat(report.headline()).startsWith("5 kernel times");
        assertThat(report.csv())
                .anyMatch(line -> line.startsWith("STATE all,3,"))
                .anyMatch(line -> line.startsWith("DISPATCH all,1,"))
                .anyMatch(line -> line.startsWith("COMBINE all,1,"));
        String text = report.tables().stream().map(DataTable::markdown).collect(Collectors.joining());
        assertThat(text)
                .contains(
                        "older version of an engine: STATE | 1 |", "verification of drafts by a recurrent layer | 1 |");
    }

    @ParameterizedTest
    @CsvSource({
        "'m,n,k,device,time_us', '1,2,3,h100,5', is missing",
        "'device,engine,dtype,m,n,k,time_us', 'h100,vllm,bfloat16,1,2,3', another number of cells",
        "'device,engine,dtype,m,n,k,time_us', 'h100,vllm,bfloat16,1,2,x,5', expected a number"
    })
    void rejectsMalformedTables(String header, String row, String message, @TempDir Path dir) throws IOException {
        write(dir.resolve("gemm.csv.gz"), header + "\n" + row + "\n");
        assertThatThrownBy(() -> KernelFidelity.of(dir, CARDS))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void doesNotRecogniseOtherTables(@TempDir Path dir) throws IOException {
        write(dir.resolve("other.csv.gz"), "a,b\n1,2\n");
        assertThat(KernelFidelity.of(dir, CARDS)).isEmpty();
    }
}
