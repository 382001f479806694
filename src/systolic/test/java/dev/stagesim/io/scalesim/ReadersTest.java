package dev.stagesim.io.scalesim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.LayerType;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Parallelism;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.LayoutOrder;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadersTest {
    private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/table.csv");

    private Path with(String text) throws IOException {
        return Files.writeString(file, text);
    }

    @Test
    void readsProductsWithOrWithoutTheLastComma() throws IOException {
        assertThat(TopologyReader.read(with("n, M, N, K\na, 2, 3, 4\nb, 5, 6, 7,\n"), true, ScaleSimCompat.NONE))
                .containsExactly(LayerShape.gemm("a", 2, 3, 4), LayerShape.gemm("b", 5, 6, 7));
    }

    @Test
    void dropsTextAfterTheLastCommaLikeTheReference() {
        assertThatThrownBy(() -> TopologyReader.read(with("n, M, N, K\na, 2, 3, 4\n"), true, ScaleSimCompat.V2))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("table.csv:2");
    }

    @Test
    void namesEveryWrongLine() {
        assertThatThrownBy(
                        () -> TopologyReader.read(with("n, M, N, K\na, 0, 3, x,\nb, 1,\n"), true, ScaleSimCompat.NONE))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.problems()).hasSize(3));
        assertThatThrownBy(() -> TopologyReader.read(with("a, 1, 2, 3,\n"), true, ScaleSimCompat.NONE))
                .hasMessageContaining("header");
        assertThatThrownBy(() -> TopologyReader.read(with("h\nc, 3, 3, 4, 1, 1, 1, 1,\n"), false, ScaleSimCompat.NONE))
                .hasMessageContaining("filter is larger");
        assertThatThrownBy(() -> TopologyReader.read(with("h\nc, 3, 3, 1, 1, 1, 1, 1,\n"), true, ScaleSimCompat.NONE))
                .hasMessageContaining("table.csv:2")
                .hasMessageContaining("topology.format=conv");
        assertThatThrownBy(() -> TopologyReader.read(with("h\n\n"), true, ScaleSimCompat.NONE))
                .hasMessageContaining("no layers");
    }

    @Test
    void rejectsDirectories() throws IOException {
        Path folder = Files.createDirectory(file.resolveSibling("folder"));
        assertThatThrownBy(() -> TopologyReader.read(folder, true, ScaleSimCompat.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("folder: is a directory");
        assertThatThrownBy(() -> CycleTable.read(folder))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("folder: is a directory");
    }

    @Test
    void splitsDepthWiseLayersByChannel() throws IOException {
        assertThat(TopologyReader.read(with("h\nxDP, 6, 6, 3, 3, 4, 2, 1,\n"), false, ScaleSimCompat.V3))
                .hasSize(4)
                .allSatisfy(layer -> assertThat(layer.channels()).isOne())
                .last()
                .satisfies(layer -> assertThat(layer.name()).isEqualTo("xDPChannel_3"));
        // Channels have separate rows only if a caller needs them.
        assertThat(TopologyReader.rows(with("h\nxDP, 6, 6, 3, 3, 4000000, 2, 1,\n"), false, ScaleSimCompat.V3))
                .singleElement()
                .satisfies(row -> assertThat(row.products()).isEqualTo(4_000_000));
    }

    @Test
    void readsTablesOfDistributedLayers() throws IOException {
        Path table = with("Layer,m,n,k,P\na,8,4,2,MODEL\n");
        assertThat(MnkReader.read(table, "DATA", new Cluster(4, 2), false))
                .containsExactly(new MnkLayer("a", 8, 4, 2, Parallelism.DATA, LayerType.GEMM, 1));
        assertThat(MnkReader.read(table, MnkReader.CUSTOMIZED, new Cluster(4, 2), false))
                .containsExactly(new MnkLayer("a", 8, 4, 2, Parallelism.MODEL, LayerType.GEMM, 1));
    }

    @Test
    void rejectsNamesWithBlanks() throws IOException {
        Path table = with("Layer,m,n,k\n a ,8,4,2\nx y,8,4,2\nb\tc,8,4,2\n");
        assertThatThrownBy(() -> MnkReader.read(table, "DATA", new Cluster(4, 2), false))
                .hasMessageContaining("table.csv:3")
                .hasMessageContaining("write 'x_y'")
                .hasMessageContaining("table.csv:4");
        assertThat(MnkReader.read(table, "DATA", new Cluster(4, 2), true)).hasSize(3);
    }

    @Test
    void rejectsSharesThatDoNotDivide() throws IOException {
        Path table = with("Layer,m,n,k\na,7,4,2\n");
        assertThatThrownBy(() -> MnkReader.read(table, "DATA", new Cluster(4, 2), false))
                .hasMessageContaining("table.csv:2");
        assertThat(MnkReader.read(table, "DATA", new Cluster(4, 2), true)).hasSize(1);
    }

    @Test
    void suggestsTheClosestParallelism() throws IOException {
        Path table = with("Layer,m,n,k,P\na,8,4,2,MODELL\n");
        assertThatThrownBy(() -> MnkReader.read(table, MnkReader.CUSTOMIZED, new Cluster(4, 2), false))
                .isInstanceOfSatisfying(StageException.class, e -> assertThat(
                                e.problems().get(0).render())
                        .contains("did you mean")
                        .contains("MODEL"));
    }

    @Test
    void namesEveryWrongLineOfADistributedTable() throws IOException {
        Path table =
                with("Layer,m,n,k,P,type,count\na,8\nb,x,0,-3\nc,8,4,2,,EMBEDING\nd,8,8,8,,SCORE,6\ne,1,2,3,4,5,6,7\n");
        assertThatThrownBy(() -> MnkReader.read(table, "DATA", new Cluster(4, 2), false))
                .isInstanceOfSatisfying(StageException.class, e -> assertThat(e.problems().stream()
                                .map(problem -> problem.where().replaceAll(".*:", "") + " " + problem.what()))
                        .containsExactly(
                                "2 expected the columns name,m,n,k[,parallelism][,type[,count]], found 2 columns",
                                "3 m: expected a whole number above 0, found 'x'",
                                "3 n: expected a whole number above 0, found '0'",
                                "3 k: expected a whole number above 0, found '-3'",
                                "4 unknown layer type 'EMBEDING'",
                                "5 count 6 does not divide among 4 processors",
                                "6 expected the columns name,m,n,k[,parallelism][,type[,count]], found 8 columns"));
        assertThatThrownBy(() -> MnkReader.read(with("a,1,2,3\n"), "DATA", new Cluster(1, 1), false))
                .hasMessageContaining("table.csv:1")
                .hasMessageContaining("header");
    }

    @Test
    void namesMissingKeysAndWrongNumbersOfAnArray() {
        assertThatThrownBy(() -> ArrayReader.read(
                        with("[general]\nrun_name = x\n[architecture_presets]\nArrayHeight: 8.0\n"),
                        ScaleSimCompat.NONE))
                .isInstanceOfSatisfying(StageException.class, e -> {
                    assertThat(e.problems()).hasSizeGreaterThan(5);
                    assertThat(e.problems().toString()).contains("table.csv:4").contains("ArrayWidth");
                });
    }

    private static final String THIRD =
            """
            [general]
            run_name = r
            [architecture_presets]
            ArrayHeight = 4
            ArrayWidth = 4
            IfmapSramSzkB = 1
            FilterSramSzkB = 1
            OfmapSramSzkB = 1
            IfmapOffset = 0
            FilterOffset = 1
            OfmapOffset = 0
            Bandwidth = 4
            Dataflow = os
            ReadRequestBuffer = 8
            WriteRequestBuffer = 8
            [layout]
            IfmapCustomLayout = False
            IfmapSRAMBankBandwidth = BANDWIDTH
            IfmapSRAMBankNum = 2
            IfmapSRAMBankPort = 1
            FilterCustomLayout = True
            FilterSRAMBankBandwidth = 8
            FilterSRAMBankNum = 1
            FilterSRAMBankPort = 1
            [sparsity]
            SparsitySupport = false
            [run_presets]
            InterfaceBandwidth = MODE
            UseRamulatorTrace = False
            """;

    private ArrayFile third(String mode, int bandwidth, ScaleSimCompat compat) throws IOException {
        return ArrayReader.read(
                with(THIRD.replace("MODE", mode).replace("BANDWIDTH", Integer.toString(bandwidth))), compat);
    }

    @Test
    void checksLayoutsInBothModesOfVersion3() throws IOException {
        Path layout = file.resolveSibling("layout.csv");
        String row = "c, 1, 1, 1, 1, 2, FILTERS, 3, 4, 5, 0, 1, 2, 4, 5, 6, 7, 0, 1, 2, 3,\n";
        for (String mode : new String[] {"CALC", "USER"}) {
            ArrayFile described = third(mode, 8, ScaleSimCompat.V3);
            Files.writeString(layout, "h\n" + row.replace("FILTERS", "3"));
            assertThatThrownBy(() -> LayoutReader.apply(described, described.array(), layout))
                    .hasMessageContaining("must equal the bandwidth");
            Files.writeString(layout, "h\n" + row.replace("FILTERS", "4"));
            assertThat(LayoutReader.apply(described, described.array(), layout)
                            .filter()
                            .layout()
                            .isPresent())
                    .isEqualTo(mode.equals("USER"));
        }
        assertThat(third("CALC", 8, ScaleSimCompat.NONE).needsLayout()).isFalse();
    }

    /** Lines of images may be narrower than the total bandwidth of the banks, but not wider. */
    @Test
    void rejectsImageLinesWiderThanTheBandwidth() throws IOException {
        Path layout = file.resolveSibling("layout.csv");
        Files.writeString(layout, "h\n" + "c, 1, 3, 1, 1, 2, 4, 3, 4, 5, 0, 1, 2, 4, 5, 6, 7, 0, 1, 2, 3,\n");
        for (String mode : new String[] {"CALC", "USER"}) {
            for (int bandwidth : new int[] {2, 4, 8, 16}) {
                String text = THIRD.replace("MODE", mode)
                        .replace("BANDWIDTH", Integer.toString(bandwidth))
                        .replace("IfmapCustomLayout = False", "IfmapCustomLayout = True");
                ArrayFile described = ArrayReader.read(with(text), ScaleSimCompat.V3);
                int words = described.array().image().bandwidth();
                if (words < 6) {
                    assertThatThrownBy(() -> LayoutReader.apply(described, described.array(), layout))
                            .hasMessageContaining("6 image words is wider than the bandwidth");
                } else {
                    assertThat(LayoutReader.apply(described, described.array(), layout)
                                    .image()
                                    .layout()
                                    .isPresent())
                            .as(mode + " " + words)
                            .isEqualTo(mode.equals("USER"));
                }
            }
        }
    }

    @Test
    void acceptsATableWithoutLayersWhenLayersAreRejected() throws IOException {
        ArrayFile described = third("USER", 5, ScaleSimCompat.V3);
        assertThatThrownBy(described::checkLayers)
                .hasMessageContaining("table.csv:")
                .hasMessageContaining("cannot be divided among 2 banks");
        third("CALC", 5, ScaleSimCompat.V3).checkLayers();
    }

    @Test
    void writesTheColumnsOfTheArrayWhenThereAreNoLayers() {
        assertThat(Reports.bandwidth(List.of(), true).text()).contains("Avg FILTER Metadata SRAM BW");
        assertThat(Reports.bandwidth(List.of(), false).text()).doesNotContain("Metadata");
    }

    @Test
    void rejectsCellsThatAreNoNumbersInVersion2() {
        assertThatThrownBy(() ->
                        TopologyReader.read(with("h\nc, 6, 6, 3, 3, 1, 1, 1, 1, 2:4,\n"), false, ScaleSimCompat.V2))
                .hasMessageContaining("table.csv:2");
    }

    @Test
    void splitsTheLastCellInVersion3() throws IOException {
        String row = "h\nc, 6, 6, 3, 3, 2, 5, 1,";
        assertThat(ratio(row + "2:4:8,\n")).isEqualTo("2:4");
        assertThat(ratio(row + "1, 2:4,\n")).isEqualTo("1:2");
        assertThat(ratio(row + "1, 3, 2:4,\n")).isEqualTo("1:3");
        assertThat(ratio(row + "5:4,\n")).isEqualTo("5:4");
        for (String cells : List.of("2,", "a, 2:4,", ",")) {
            assertThatThrownBy(() -> ratio(row + cells + "\n")).hasMessageContaining("table.csv:2");
        }
        assertThatThrownBy(() -> TopologyReader.read(with(row + "5:4,\n"), false, ScaleSimCompat.NONE))
                .hasMessageContaining("more weights than a block has");
    }

    private String ratio(String text) throws IOException {
        LayerShape layer =
                TopologyReader.read(with(text), false, ScaleSimCompat.V3).get(0);
        return layer.kept() + ":" + layer.block();
    }

    @Test
    void keepsTabsInCellsInCompatMode() throws IOException {
        Path table = with("h\n\ta,8,4,2,MODEL  \n");
        assertThat(MnkReader.read(table, MnkReader.CUSTOMIZED, new Cluster(4, 2), true))
                .singleElement()
                .satisfies(layer -> assertThat(layer.name()).isEqualTo("\ta"));
        with("h\na,8,4,2,MODEL\t\n");
        assertThatThrownBy(() -> MnkReader.read(table, MnkReader.CUSTOMIZED, new Cluster(4, 2), true))
                .hasMessageContaining("table.csv:2");
    }

    private ArrayFile third(String before, String after, ScaleSimCompat compat) throws IOException {
        assertThat(THIRD).contains(before);
        String text = THIRD.replace(before, after).replace("MODE", "CALC").replace("BANDWIDTH", "8");
        return ArrayReader.read(with(text), compat);
    }

    @Test
    void readsIniFilesLikePythonInCompatMode() throws IOException {
        assertThat(third("ArrayHeight = 4", "ArrayHeight =\n  12", ScaleSimCompat.V3)
                        .array()
                        .rows())
                .isEqualTo(12);
        assertThat(third("[general]", "[DEFAULT]\nside = 9\n[general] of all", ScaleSimCompat.V3)
                        .runName())
                .isEqualTo("r");
        assertThat(third("run_name = r", "run_name = 5%%", ScaleSimCompat.V3).runName())
                .isEqualTo("5%");
        for (String twice : List.of("run_name = r\nrun_name = r", "run_name = r\n[general]", "run_name = 5%")) {
            assertThatThrownBy(() -> third("run_name = r", twice, ScaleSimCompat.V3))
                    .hasMessageContaining("table.csv:");
        }
        assertThat(third("run_name = r", "  run_name = 5%", ScaleSimCompat.NONE).runName())
                .isEqualTo("5%");
        assertThatThrownBy(() -> third("run_name = r", "run_name = r\n  run_name = 5%", ScaleSimCompat.NONE))
                .hasMessageContaining("table.csv:3");
    }

    /** Unused numbers may have any value but must be whole numbers. */
    @Test
    void parsesUnusedNumbersInVersion3() throws IOException {
        for (String key : List.of("ReadRequestBuffer = 8", "IfmapSRAMBankNum = 2", "FilterSRAMBankPort = 1")) {
            String name = key.substring(0, key.indexOf('='));
            third(key, name + "= -1", ScaleSimCompat.V3);
            assertThatThrownBy(() -> third(key, name + "=", ScaleSimCompat.V3)).hasMessageContaining("table.csv:");
            assertThatThrownBy(() -> third(key, name + "= -1", ScaleSimCompat.NONE))
                    .hasMessageContaining("at least 1");
        }
    }

    @Test
    void rejectsEmptyNumbersInAllModes() {
        for (ScaleSimCompat compat : ScaleSimCompat.values()) {
            assertThatThrownBy(() -> third("ArrayHeight = 4", "ArrayHeight =", compat))
                    .hasMessageContaining("ArrayHeight: expected a whole number of at least 1, found ''");
        }
    }

    @Test
    void readsOnlyTheLayoutsInUseInVersion3() throws IOException {
        Path layout = file.resolveSibling("layout.csv");
        Files.writeString(layout, "h\nDPc, 2, 2, 0, 0, 3, 0, -1, 3, -2, 1, 0, 2,\n");
        String text = THIRD.replace("MODE", "USER").replace("BANDWIDTH", "8");
        ArrayFile described = ArrayReader.read(
                with(text.replace("IfmapCustomLayout = False", "IfmapCustomLayout = True")
                        .replace("FilterCustomLayout = True", "FilterCustomLayout = False")),
                ScaleSimCompat.V3);
        assertThat(LayoutReader.apply(described, described.array(), layout)
                        .image()
                        .layout())
                .hasValue(new LayoutOrder(List.of(2, 2, 1), List.of(1, 0, 2, 5, 3, 4)));
        Files.writeString(layout, Files.readString(layout) + "d, 1.5,\n");
        assertThatThrownBy(() -> LayoutReader.apply(described, described.array(), layout))
                .hasMessageContaining("layout.csv:3");
    }
}
