package dev.stagesim.verify.fidelity.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.verify.fidelity.corpus.Cards;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TrainingFidelityTest {
    private static final String TABLE =
            """
            id,source,group,framework,gpu,gpus,gpus_per_node,inter,task,model,layers,hidden,ffn,heads,kv_heads,head_dim,vocab,mlp_matrices,attention,experts,experts_per_token,moe_ffn,shared_ffn,first_dense_layers,moe_layer_step,seq,precision,tp,pp,vp,dp,cp,ep,etp,zero,shard_group,sp,micro_batch,grad_accum,global_batch,recompute,schedule,options,step_time_s,memory_gb
            a,s,s/m,NeMo,H100,8,8,,pretrain,m,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,bf16,1,1,,8,,,,1,,,1,,64,none,,,7.0,60
            b,s,s/m,NeMo,H100,8,8,,pretrain,m,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,bf16,2,1,,4,,,,1,,1,1,,64,none,,,7.5,40
            c,s,s/m,NeMo,H100,8,8,,pretrain,m,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,bf16,8,1,,1,,,,1,,1,1,,64,none,,,9.0,
            d,s,s/m,NeMo,H100,8,8,,pretrain,m,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,bf16,1,4,,2,,,,1,,,1,,64,none,1f1b,,8.0,
            e,s,s/m,NeMo,Abacus,8,8,,pretrain,m,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,bf16,1,4,,2,,,,1,,,1,,64,none,1f1b,,8.0,
            """;

    private static final Cards CARDS = new Cards() {
        @Override
        public Optional<ModelCard> model(String option) {
            return Optional.empty();
        }

        @Override
        public Optional<HardwareCard> hardware(String option) {
            return Optional.of(CardFiles.hardware(option));
        }

        @Override
        public Optional<StepCard> engine(String option) {
            return Optional.empty();
        }
    };

    @Test
    void evaluatesStepsByGroup(@TempDir Path dir) throws IOException {
        Files.writeString(dir.resolve("measured.csv"), TABLE);
        TrainingFidelity report = TrainingFidelity.of(dir, CARDS).orElseThrow();
        assertThat(report.headline()).startsWith("4 training steps").endsWith("1 row cannot be predicted");
        assertThat(report.csv()).hasSize(5);
        assertThat(report.json().members()).containsKey("p90_abs_percent");
        String text = report.tables().stream().map(DataTable::markdown).collect(Collectors.joining());
        assertThat(text).contains("no hardware card for Abacus", "Extra time of the selected strategy");
        assertThat(report.html()).contains("Predictions of training steps");
    }

    @Test
    void doesNotRecogniseAFolderOfOtherTables(@TempDir Path dir) throws IOException {
        Files.writeString(dir.resolve("other.csv"), "a,b\n1,2\n");
        assertThat(TrainingFidelity.of(dir, CARDS)).isEmpty();
    }
}
