package dev.stagesim.io.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database in the layout of Nsight Systems, with small pages, so that tables have inner pages and long names overflow
 * pages.
 */
class NsightDatabaseTest {
    private static final Path FILE =
            Path.of(System.getProperty("stagesim.home", "."), "tests-data/measured/nsight.sqlite");

    @TempDir
    Path scratch;

    private static Measurement read(Path file) throws IOException {
        return ResultFormats.read(file, Optional.empty(), ReadOptions.NONE);
    }

    @Test
    void sumsKernelsCopiesCallsAndRanges() throws IOException {
        Measurement m = read(FILE);
        List<Operator> rows = m.operations().rows();
        assertThat(rows)
                .contains(
                        new Operator("gpu", "kernel", "ampere_bf16_s16816gemm", 100, 3_012_500, 30_125, 30_125),
                        new Operator("cpu", "cuda_runtime", "cudaLaunchKernel_v7000", 300, 1_275_000, 4250, 4250),
                        new Operator("gpu", "memcpy", "HtoD", 1, 2000, 2000, 2000),
                        new Operator("cpu", "nvtx", "step", 1, 15_100_000, 15_100_000, 15_100_000))
                .as("a range whose text is a number of a string")
                .contains(new Operator("cpu", "nvtx", "forward", 1, 7_050_000, 7_050_000, 7_050_000));
        assertThat(rows).hasSize(9);
        assertThat(rows.stream().map(Operator::name).filter(name -> name.length() > 900))
                .as("a name longer than a page")
                .singleElement()
                .asString()
                .startsWith("void at::native::vectorized_elementwise_kernel<4, ")
                .endsWith("at::native::Functor<c10::BFloat16>, >");
        assertThat(m.warnings()).anyMatch(w -> w.equals("NVTX ranges without an end, left out: 1"));
    }

    @Test
    void reportsTruncatedAndEmptyDatabases() throws IOException {
        byte[] whole = Files.readAllBytes(FILE);
        Path cut = Files.write(scratch.resolve("cut.sqlite"), Arrays.copyOf(whole, 10_000));
        assertThatThrownBy(() -> read(cut)).isInstanceOf(StageException.class).hasMessageContaining("is truncated");
        byte[] odd = whole.clone();
        Arrays.fill(odd, 512, 4096, (byte) 0x77);
        Path broken = Files.write(scratch.resolve("odd.sqlite"), odd);
        assertThatThrownBy(() -> read(broken)).isInstanceOf(StageException.class);
        byte[] utf16 = whole.clone();
        utf16[59] = 2;
        Path other = Files.write(scratch.resolve("utf16.sqlite"), utf16);
        assertThatThrownBy(() -> read(other)).isInstanceOf(StageException.class).hasMessageContaining("UTF-16");
    }
}
