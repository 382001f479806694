package dev.stagesim.io.times;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.predict.Curve;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.Surface;
import dev.stagesim.predict.linear.LinearSpec;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PredictorCacheTest {
    private static final Map<String, String> ORIGIN = Map.of("rows", "abc", "settings", "Forest[250]");

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path root = files.getPath("/cache/predictors");
    private final PredictorCache<List<PredictionTable>> cache = new PredictorCache<>(root, Packing.TABLES);

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    private static List<PredictionTable> tables(double ms) {
        PredictionTable add = new PredictionTable(Operator.ADD);
        for (int i = 0; i < 200; i++) {
            add.add(i, i, 0, 0, ms + i);
        }
        PredictionTable decode = new PredictionTable(Operator.ATTN_DECODE);
        decode.add(1, 2, 0, 64, Math.PI);
        return List.of(add, decode);
    }

    @Test
    void returnsStoredPredictorsBitForBit() throws IOException {
        assertThat(cache.find(ORIGIN)).isEmpty();
        cache.store(ORIGIN, tables(1e-17));
        List<PredictionTable> found = cache.find(ORIGIN).orElseThrow();
        assertThat(found).usingRecursiveComparison().isEqualTo(tables(1e-17));
        assertThat(Files.readString(cache.folder(ORIGIN).resolve("provenance.json")))
                .contains("Forest[250]", "attn_decode");
        try (Stream<Path> left = Files.list(root)) {
            assertThat(left).as("no partial folders").hasSize(1);
        }
    }

    @Test
    void distinguishesPredictorsByOrigin() throws IOException {
        cache.store(ORIGIN, tables(1));
        assertThat(cache.find(Map.of("rows", "abd", "settings", "Forest[250]"))).isEmpty();
    }

    @Test
    void replacesOnlyDamagedFolders() throws IOException {
        cache.store(ORIGIN, tables(1));
        cache.store(ORIGIN, tables(2));
        assertThat(cache.find(ORIGIN).orElseThrow().get(0).milliseconds(0)).isEqualTo(1);
        Path times = cache.folder(ORIGIN).resolve("times.bin");
        byte[] content = Files.readAllBytes(times);
        for (int at : new int[] {0, 9, 30, content.length - 1}) {
            byte[] damaged = content.clone();
            damaged[at] ^= 4;
            Files.write(times, damaged);
            assertThat(cache.find(ORIGIN)).as("byte %d", at).isEmpty();
        }
        Files.write(times, java.util.Arrays.copyOf(content, 20));
        assertThat(cache.find(ORIGIN)).isEmpty();
        Files.write(times, new byte[0]);
        assertThat(cache.find(ORIGIN)).isEmpty();
        cache.store(ORIGIN, tables(3));
        assertThat(cache.find(ORIGIN).orElseThrow().get(0).milliseconds(0)).isEqualTo(3);
    }

    @Test
    void storesFormsOfPolynomialsAsText() throws IOException {
        Map<Operator, LinearSpec> forms = Map.of(
                Operator.ADD, new LinearSpec(true, 3, false, true),
                Operator.ATTN_PREFILL, new LinearSpec(false, 5, true, false));
        PredictorCache<Map<Operator, LinearSpec>> polynomials = new PredictorCache<>(root, Packing.FORMS);
        polynomials.store(ORIGIN, forms);
        assertThat(polynomials.find(ORIGIN))
                .hasValueSatisfying(found -> assertThat(found).isEqualTo(forms));
        Path file = polynomials.folder(ORIGIN).resolve("forms.json");
        String text = Files.readString(file);
        assertThat(polynomials.find(Map.of("rows", "abd"))).isEmpty();
        for (String damaged : List.of("", "{}", text.substring(9), text.replace("true", "false"))) {
            Files.writeString(file, damaged);
            assertThat(polynomials.find(ORIGIN)).as(damaged).isEmpty();
        }
    }

    @Test
    void digestsTheRowsOfAProfile() {
        Surface surface = new Surface(new int[] {1}, new int[] {2}, new double[] {3});
        Surface other = new Surface(new int[] {1}, new int[] {2}, new double[] {3.0000000001});
        Map<Operator, Curve> curves = Map.of(Operator.ADD, Curve.zero(1));
        String digest = ProfileDigest.of(new Profile("a", curves, surface, surface));
        assertThat(digest).isEqualTo(ProfileDigest.of(new Profile("b", curves, surface, surface)));
        assertThat(digest)
                .isNotEqualTo(ProfileDigest.of(new Profile("a", curves, surface, other)))
                .isNotEqualTo(ProfileDigest.of(new Profile("a", curves, other, surface)))
                .isNotEqualTo(
                        ProfileDigest.of(new Profile("a", Map.of(Operator.MLP_ACT, Curve.zero(1)), surface, surface)));
    }
}
