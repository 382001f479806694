package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heap of 48 megabytes is enough to read a profiler's trace of more than two gigabytes. */
@Tag("long")
class LargeProfilerTraceTest {
    private static final long MAX_INT = 1L << 31;
    private static final int EVENTS = 4000;
    private static final long TIMEOUT_MINUTES = 15;

    @TempDir
    Path scratch;

    /** Returns about one megabyte of kernels and host operators in the format of Kineto. */
    private static byte[] block() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < EVENTS; i++) {
            boolean kernel = i % 2 == 0;
            text.append("  {\"ph\": \"X\", \"cat\": \"")
                    .append(kernel ? "kernel" : "cpu_op")
                    .append("\", \"name\": \"")
                    .append(kernel ? "ampere_bf16_s16816gemm_" : "aten::op_")
                    .append(i % 10)
                    .append(
                            "\", \"pid\": 0, \"tid\": 7, \"ts\": 1786450500000123.5, \"dur\": 2.5, \"args\": {\"External id\": ")
                    .append(i)
                    .append(", \"stream\": 7, \"grid\": [108, 1, 1], \"block\": [256, 1, 1], \"correlation\": 4711,")
                    .append(" \"registers per thread\": 128, \"shared memory\": 49152}},\n");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static final class Fast extends GZIPOutputStream {
        Fast(OutputStream out) throws IOException {
            super(out, 1 << 16);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    @Test
    void readsATraceThatExceedsTheMemory() throws Exception {
        byte[] block = block();
        long blocks = MAX_INT / block.length + 50;
        assertThat(blocks * block.length).as("bytes of JSON").isGreaterThan(MAX_INT);
        Path trace = scratch.resolve("rank0.pt.trace.json.gz");
        try (OutputStream out = new Fast(Files.newOutputStream(trace))) {
            out.write("{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
                    .getBytes(StandardCharsets.UTF_8));
            for (long i = 0; i < blocks; i++) {
                out.write(block);
            }
            out.write("  {\"ph\": \"i\", \"name\": \"end\", \"ts\": 1}\n], \"traceName\": \"t\"}"
                    .getBytes(StandardCharsets.UTF_8));
        }
        Path home = Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();
        List<String> command = ChildJava.command(Main.class, "-Xmx48m", "-Dstagesim.home=" + home);
        command.addAll(List.of("real_bench", "real.file=" + trace));
        Path output = scratch.resolve("said.txt");
        Process process = new ProcessBuilder(command)
                .directory(scratch.toFile())
                .redirectError(output.toFile())
                .redirectOutput(scratch.resolve("run.txt").toFile())
                .start();
        boolean ended = process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        assertThat(ended && process.exitValue() == 0)
                .as(Files.readString(output))
                .isTrue();
        Path run = scratch.resolve(Files.readString(scratch.resolve("run.txt")).strip());
        long each = blocks * EVENTS / 10;
        List<String> rows = Files.readAllLines(run.resolve("operator_metrics.csv"));
        assertThat(rows).hasSize(1 + 10);
        assertThat(rows.subList(1, rows.size()))
                .allSatisfy(row -> assertThat(row.split(",", -1)[3]).isEqualTo(String.valueOf(each)))
                .allSatisfy(row -> assertThat(row.split(",", -1)[4]).isEqualTo(String.valueOf(each * 2500)));
    }
}
