package dev.stagesim.io.gzip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.io.trace.RowFilter;
import dev.stagesim.io.trace.TraceCodec;
import dev.stagesim.io.trace.TraceLoader;
import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class InputFileTest {
    private final Path folder =
            Jimfs.newFileSystem(Configuration.unix()).getPath("/").resolve("in");

    private Path with(String name, byte[] content) throws IOException {
        return Files.write(Files.createDirectories(folder).resolve(name), content);
    }

    private static byte[] packed(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream zip = new GZIPOutputStream(out)) {
            zip.write(content);
        }
        return out.toByteArray();
    }

    private static TraceRows load(Path file) throws IOException {
        return TraceLoader.load(file, TraceCodec.detect(file), String::length, RowFilter.all(() -> 0.5));
    }

    /** Files in UTF-16, as Windows spreadsheets and shells write them. */
    @Test
    void rejectsUtf16TextWithoutAByteOrderMark() throws IOException {
        for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            for (String text :
                    List.of("arrived_at,prompt\n0,5\n", "{\"a\": [1, 2]}", "Layer,M,N,K,\n", "a: b\r\nc: d\r\n")) {
                Path file = with("wide", text.getBytes(charset));
                List<ThrowingCallable> readers = List.of(
                        () -> load(file),
                        () -> CsvRows.open(file),
                        () -> InputFile.text(file),
                        () -> InputFile.bytes(file),
                        () -> TopologyReader.read(file, true, ScaleSimCompat.NONE),
                        () -> ResultFormats.read(file, Optional.empty(), ReadOptions.NONE));
                for (ThrowingCallable reader : readers) {
                    assertThatThrownBy(reader)
                            .isInstanceOf(StageException.class)
                            .hasMessageContaining(
                                    "looks like text in UTF-16 (every second byte is zero), expected UTF-8");
                }
            }
        }
        for (byte[] other :
                List.of(new byte[40], "a\0".getBytes(StandardCharsets.UTF_8), new byte[] {1, 0, 2, 0, 3, 0, 4, 0})) {
            assertThat(InputFile.bytes(with("other", other))).isEqualTo(other);
        }
    }

    @Test
    void rejectsDevicesAndDirectories() throws IOException {
        for (Path special : List.of(Path.of("/dev/zero"), Path.of("/dev"))) {
            assertThatThrownBy(() -> load(special))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("expected a file");
            assertThatThrownBy(() -> InputFile.text(special)).isInstanceOf(StageException.class);
        }
        assertThatThrownBy(() -> ResultFormats.read(Path.of("/dev/zero"), Optional.empty(), ReadOptions.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("device or a pipe");
    }

    /** Compressed traces of the corpus have the same rows as plain ones. */
    @Test
    void readsCompressedTracesLikePlainOnes() throws IOException {
        try (Stream<Path> traces = Files.list(Path.of("tests-data/traces"))) {
            for (Path trace : traces.sorted().toList()) {
                byte[] content = Files.readAllBytes(trace);
                TraceRows plain = load(trace);
                TraceRows rows = load(with(trace.getFileName() + ".gz", packed(content)));
                assertThat(rows.prefill()).as("%s", trace).isEqualTo(plain.prefill());
                assertThat(rows.timeNs()).isEqualTo(plain.timeNs());
            }
        }
    }

    @Test
    void recognisesCompressedMeasurements() throws IOException {
        try (Stream<Path> results = Files.list(Path.of("tests-data/measured"))) {
            for (Path result : results.sorted().toList()) {
                String name = String.valueOf(result.getFileName());
                if (Files.isRegularFile(result)
                        && !name.endsWith(".gz")
                        && !name.endsWith(".sqlite")
                        && !name.endsWith(".csv")
                        && !name.endsWith(".yaml")
                        && !name.endsWith(".txt")) {
                    Optional<Integer> entry = name.equals("sglang.jsonl") ? Optional.of(0) : Optional.empty();
                    ReadOptions options = new ReadOptions(entry, Optional.empty());
                    String plain = read(result, options);
                    String packed = read(with(name + ".gz", packed(Files.readAllBytes(result))), options);
                    assertThat(packed).as(name).isEqualTo(plain);
                }
            }
        }
    }

    private static String read(Path file, ReadOptions options) throws IOException {
        try {
            return ResultFormats.read(file, Optional.empty(), options).format();
        } catch (StageException refused) {
            return refused.problems().get(0).render().replaceFirst("/?\\S*?(\\w+\\.jsonl?)(\\.gz)?", "$1");
        }
    }

    /** Truncated and corrupted compressed files are read or rejected. */
    @Test
    void reportsDamagedCompressionAsAnInputError() throws IOException {
        byte[] good = packed(("timestamp,prompt_tokens,completion_tokens\n" + "1.5,20,30\n".repeat(200))
                .getBytes(StandardCharsets.UTF_8));
        int refused = 0;
        for (int cut = 2; cut < good.length; cut++) {
            byte[] bad = Arrays.copyOf(good, cut);
            refused += isRefused(bad) ? 1 : 0;
            byte[] changed = good.clone();
            changed[cut] ^= 0x15;
            refused += isRefused(changed) ? 1 : 0;
        }
        assertThat(refused).isGreaterThan(good.length);
        Path times =
                with("attn_decode.csv.gz", Arrays.copyOf(good, good.length / 2)).getParent();
        assertThatThrownBy(() -> TimesFolder.read(times))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("cut off");
    }

    private boolean isRefused(byte[] content) throws IOException {
        try {
            load(with("t.csv", content));
            return false;
        } catch (StageException wrong) {
            assertThat(wrong.kind()).isEqualTo(StageException.Kind.INPUT);
            return true;
        }
    }

    @Test
    void closesAFileWithoutHeader() throws IOException {
        Path empty = Files.createTempFile("empty", ".csv");
        long before = open(empty);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> CsvRows.open(empty)).isInstanceOf(StageException.class);
        }
        assertThat(open(empty)).isEqualTo(before);
        Files.delete(empty);
    }

    /** Returns the number of open descriptors of this process for a file, or 0 if the system does not report them. */
    private static long open(Path file) throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(descriptors)) {
            return all.filter(Files::isSymbolicLink)
                    .filter(link -> {
                        try {
                            return Files.readSymbolicLink(link).equals(file);
                        } catch (IOException closedMeanwhile) {
                            return false;
                        }
                    })
                    .count();
        }
    }
}
