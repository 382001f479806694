package dev.stagesim.verify.fidelity.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingMachine.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasuredStepsTest {
    private static final String HEADER =
            "id,source,group,framework,machine,gpu,gpus,gpus_per_node,intra,inter,task,model,params_b,layers,hidden,ffn,heads,kv_heads,head_dim,vocab,mlp_matrices,attention,experts,experts_per_token,moe_ffn,shared_ffn,first_dense_layers,moe_layer_step,seq,precision,tp,pp,vp,dp,cp,ep,etp,zero,shard_group,sp,micro_batch,grad_accum,global_batch,recompute,schedule,options,step_time_s,memory_gb\n";

    private static MeasuredSteps.Rows read(Path file) throws IOException {
        return MeasuredSteps.read(file, option -> Optional.of(CardFiles.hardware(option)));
    }

    private static Path write(Path dir, String rows) throws IOException {
        return Files.writeString(dir.resolve("measured.csv"), HEADER + rows);
    }

    @Test
    void convertsARowToAStrategy(@TempDir Path dir) throws IOException {
        MeasuredSteps.Rows rows = read(write(
                dir,
                "a,s,g,NeMo,,H100,64,8,,400 Gb/s per GPU,pretrain,m,,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,"
                        + "fp8 (delayed scaling),4,2,4,,,,,,,1,1,,128,,interleaved 1f1b,distributed optimizer,10.0,60\n"
                        + "b,s,g,NeMo,,H100,64,8,,,lora,m,,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,"
                        + "bf16,4,2,,,,,,,,1,1,,128,,,,10.0,\n"
                        + "c,s,g,x,,TPU v5p,64,8,,,pretrain,m,,32,4096,14336,32,8,128,128256,3,gqa,,,,,,,8192,"
                        + "bf16,4,2,,,,,,,,1,1,,128,full,,,10.0,\n"));
        assertThat(rows.refused()).containsOnlyKeys("b", "c");
        MeasuredStep row = rows.steps().get(0);
        assertThat(row.strategy().data()).isEqualTo(8);
        assertThat(row.strategy().virtual()).isEqualTo(4);
        assertThat(row.strategy().isSequence()).isTrue();
        assertThat(row.strategy().recompute()).isEqualTo(Recompute.NONE);
        assertThat(row.job().precision()).isEqualTo(Precision.BITS8);
        assertThat(row.machine().network()).isEqualTo(50e9);
        assertThat(row.predict().step()).isBetween(1.0, 30.0);
    }

    /**
     * Checks the errors of specs/training-planner.md on the public rows, if present, with a margin for small changes.
     */
    @Test
    void predictsPublishedSteps() throws IOException {
        Path table = Path.of("..", "shared", "data", "training", "measured.csv");
        assumeTrue(Files.isRegularFile(table), () -> "no table of published steps at " + table);
        MeasuredSteps.Rows rows = read(table);
        assertThat(rows.steps().size() + rows.refused().size()).isEqualTo(1760);
        TrainingErrors errors = TrainingErrors.of(rows.steps());
        assertThat(errors.all().rows()).isGreaterThan(1500);
        assertThat(errors.all().median()).isLessThan(7.2);
        assertThat(errors.all().tail()).isLessThan(20.5);
        // These errors were large before divided experts, attention kernels, head widths and row-wise scales were
        // modelled.
        assertThat(source(errors, "dgxc-benchmarking").tail()).isLessThan(16);
        assertThat(source(errors, "llm-foundry").tail()).isLessThan(15);
        assertThat(source(errors, "torchtitan").tail()).isLessThan(32);
        assertThat(source(errors, "megatron-bridge").median()).isLessThan(14);
        assertThat(errors.choice("vtrain-single").mean()).isLessThan(4);
        assertThat(errors.calibrated()).anySatisfy(group -> {
            assertThat(group.group()).isEqualTo("all");
            assertThat(group.median()).isLessThan(5);
        });
        TrainingErrors.Group allocated = TrainingErrors.memory(rows.steps()).stream()
                .filter(group -> group.group().equals("simumax-b200"))
                .findFirst()
                .orElseThrow();
        assertThat(allocated.tail()).isLessThan(5);
    }

    /**
     * Recipes capture steps and overlap the expert exchange depending on release, precision and model, if there are
     * virtual stages.
     */
    @Test
    void capturesStepsOfNewRecipes(@TempDir Path dir) throws IOException {
        String row = "%s,s,g,%s,,GB200,64,8,,,pretrain,m,,32,4096,14336,32,8,128,128256,3,gqa,%s,4,2048,,,,8192,"
                + "%s,1,%s,%s,8,1,8,,1,,,1,,128,,,,10.0,\n";
        MeasuredSteps.Rows rows = read(write(
                dir,
                row.formatted("a", "Megatron-Bridge 26.06", 64, "mxfp8", 4, 2)
                        + row.formatted("b", "Megatron-Bridge 26.08", 64, "mxfp8", 4, 1)
                        + row.formatted("c", "Megatron-Bridge 26.04.01", 64, "mxfp8", 4, 2)
                        + row.formatted("d", "Megatron-Bridge 26.06.01", 64, "bf16", 4, 2)
                        + row.formatted("e", "Megatron-Bridge 26.06", "", "mxfp8", 4, 2)));
        assertThat(rows.steps())
                .extracting(step -> step.job().overlap().expert())
                .containsExactly(true, false, false, false, false);
        assertThat(rows.steps())
                .extracting(step -> step.job().kernels().host() == 0)
                .containsExactly(true, true, false, false, false);
    }

    private static TrainingErrors.Group source(TrainingErrors errors, String name) {
        return errors.by(MeasuredStep::source).stream()
                .filter(group -> group.group().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Recipes of Megatron-Bridge do not divide experts. Row-wise scales and attention kernels of an earlier generation
     * are recognised.
     */
    @Test
    void readsTheSoftwareOfARow(@TempDir Path dir) throws IOException {
        String mixture = ",,H100,64,8,,,pretrain,m,,32,4096,14336,32,8,128,128256,3,gqa,64,4,2048,,,,8192,";
        String layout = ",2,1,1,32,1,8,,1,,1,1,,128,,,distributed optimizer,10.0,\n";
        MeasuredSteps.Rows rows = read(write(
                dir,
                "a,s,g,Megatron-Bridge 26.02" + mixture + "bf16" + layout + "b,s,g,NeMo" + mixture + "bf16" + layout
                        + "c,s,g,torchtitan" + mixture + "fp8 (rowwise)" + layout + "d,s,g,Composer/FSDP" + mixture
                        + "bf16" + layout + "e,s,g,Composer/FSDP" + mixture.replace("H100", "A100-80GB") + "bf16"
                        + layout));
        assertThat(rows.steps())
                .extracting(row -> row.strategy().expertTensor())
                .containsExactly(1, 2, 2, 2, 2);
        assertThat(rows.steps())
                .extracting(row -> row.job().kernels().attentionShare())
                .containsExactly(1.0, 1.0, 0.6, 0.36, 0.6);
        assertThat(rows.steps().get(2).job().precision()).isEqualTo(Precision.BITS8_ROW);
        MeasuredSteps.Rows scales = read(write(
                dir,
                "a,s,g,torchtitan" + mixture + "fp8" + layout + "b,s,g,Megatron-Bridge 25.09" + mixture
                        + "fp8 (current scaling)" + layout + "c,s,g,NeMo" + mixture + "fp8" + layout
                        + "d,s,g,Megatron-Bridge 25.09" + mixture + "fp8 (block scaling)" + layout));
        assertThat(scales.steps())
                .extracting(row -> row.job().precision())
                .containsExactly(
                        Precision.BITS8_TENSOR, Precision.BITS8_TENSOR, Precision.BITS8, Precision.BITS8_BLOCK);
    }
}
