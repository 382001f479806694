package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Reads topology tables: {@code name, M, N, K,} or {@code name, H, W, R, S, C, filters, stride,}. */
public final class TopologyReader {
    private static final String CATEGORY = "topology error";
    private static final String DEPTH_WISE = "DP";
    private static final int GEMM_COLUMNS = 4;
    private static final int CONV_COLUMNS = 8;

    private final Path file;
    private final boolean isGemm;
    private final ScaleSimCompat compat;
    private final List<Problem> problems = new ArrayList<>();
    private final List<TopologyRow> rows = new ArrayList<>();

    private TopologyReader(Path file, boolean isGemm, ScaleSimCompat compat) {
        this.file = file;
        this.isGemm = isGemm;
        this.compat = compat;
    }

    /**
     * Reads a table of layers.
     *
     * <p>The first line is a header. In the reference's tables every row ends with a comma, and text after the last
     * comma is ignored. With {@link ScaleSimCompat#NONE} the last comma is optional.
     *
     * @param isGemm true if rows are matrix products
     */
    public static List<LayerShape> read(Path file, boolean isGemm, ScaleSimCompat compat) throws IOException {
        return rows(file, isGemm, compat).stream()
                .flatMap(TopologyRow::each)
                .map(TopologyRow::layer)
                .toList();
    }

    /**
     * Reads a table of layers that may be batched. A last cell {@code xB} means {@code B} products of the row's shape.
     * A depth-wise convolution has one product per channel.
     *
     * @param isGemm true if rows are matrix products
     */
    public static List<TopologyRow> rows(Path file, boolean isGemm, ScaleSimCompat compat) throws IOException {
        TopologyReader reader = new TopologyReader(file, isGemm, compat);
        List<String> lines = TextLines.read(file, CATEGORY);
        if (compat == ScaleSimCompat.NONE) {
            TextLines.checkHeader(lines, "a header", what -> reader.problem(1, what));
        }
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                reader.row(lines.get(i).strip(), i + 1);
            }
        }
        StageException.refuse(reader.problems);
        return List.copyOf(reader.rows);
    }

    private void problem(int line, String what) {
        problems.add(Problem.of(CATEGORY, file + ":" + line, what));
    }

    private void row(String line, int number) {
        List<String> cells = new ArrayList<>(
                Arrays.stream(line.split(",", -1)).map(String::strip).toList());
        if (compat != ScaleSimCompat.NONE || cells.get(cells.size() - 1).isEmpty()) {
            cells.remove(cells.size() - 1);
        }
        int products = isGemm ? products(cells, number) : 1;
        int minimum = isGemm ? GEMM_COLUMNS : CONV_COLUMNS;
        if (cells.size() < minimum) {
            problem(
                    number,
                    "expected at least " + minimum + " columns, each followed by a comma, found " + cells.size());
            return;
        }
        int maximum = isGemm ? GEMM_COLUMNS + 1 : CONV_COLUMNS + 2;
        if (compat == ScaleSimCompat.NONE && cells.size() > maximum) {
            problem(
                    number,
                    "expected at most " + maximum + " columns, found " + cells.size()
                            + (isGemm && cells.size() >= CONV_COLUMNS
                                    ? "; convolutions are read with topology.format=conv"
                                    : ""));
            return;
        }
        int known = problems.size();
        if (compat == ScaleSimCompat.NONE && cells.get(0).isEmpty()) {
            problem(number, "name: expected the name of the layer, found nothing");
        }
        if (isGemm) {
            int m = size(cells.get(1), "M", number);
            int n = size(cells.get(2), "N", number);
            int k = size(cells.get(3), "K", number);
            int[] ratio = ratio(cells, GEMM_COLUMNS, number);
            if (problems.size() == known) {
                LayerShape layer = LayerShape.gemm(cells.get(0), m, n, k, ratio[0], ratio[1]);
                rows.add(new TopologyRow(layer, products, false, number));
            }
            return;
        }
        convolution(cells, number);
    }

    private void convolution(List<String> cells, int number) {
        int known = problems.size();
        String[] names = {"", "height", "width", "filter height", "filter width", "channels", "filters", "stride"};
        int[] sizes = new int[CONV_COLUMNS];
        for (int i = 1; i < CONV_COLUMNS; i++) {
            sizes[i] = size(cells.get(i), names[i], number);
        }
        boolean hasStride = cells.size() > CONV_COLUMNS
                && (compat == ScaleSimCompat.V2
                        || (compat == ScaleSimCompat.NONE
                                && !cells.get(CONV_COLUMNS).contains(":")));
        int strideWidth = hasStride ? size(cells.get(CONV_COLUMNS), "stride along the width", number) : sizes[7];
        for (int i = CONV_COLUMNS + 1; compat == ScaleSimCompat.V2 && i < cells.size(); i++) {
            whole(cells.get(i), i, number); // the reference parses every cell as a number
        }
        int[] ratio = compat == ScaleSimCompat.V3
                ? lastRatio(cells, number)
                : ratio(cells, hasStride ? CONV_COLUMNS + 1 : CONV_COLUMNS, number);
        if (problems.size() > known) {
            return;
        }
        if (sizes[3] > sizes[1] || sizes[4] > sizes[2]) {
            problem(number, "the filter is larger than the image");
            return;
        }
        boolean isDepthWise = cells.get(0).contains(DEPTH_WISE);
        LayerShape layer = new LayerShape(
                cells.get(0),
                sizes[1],
                sizes[2],
                sizes[3],
                sizes[4],
                isDepthWise ? 1 : sizes[5],
                sizes[6],
                sizes[7],
                strideWidth,
                ratio[0],
                ratio[1]);
        rows.add(new TopologyRow(layer, isDepthWise ? sizes[5] : 1, isDepthWise, number));
    }

    /** Removes a last cell such as {@code x16} from the row. */
    private int products(List<String> cells, int line) {
        int last = cells.size() - 1;
        if (last < GEMM_COLUMNS || !cells.get(last).matches("x[0-9]+")) {
            return 1;
        }
        return size(cells.remove(last).substring(1), "products", line);
    }

    private int size(String text, String name, int line) {
        Optional<BigInteger> value = PythonText.integer(text).filter(each -> each.bitLength() < Integer.SIZE);
        if (value.isPresent() && value.get().signum() > 0 && (compat != ScaleSimCompat.NONE || text.indexOf('_') < 0)) {
            return value.get().intValue();
        }
        boolean isTooLarge = text.matches("0*[1-9][0-9]{9,}");
        problem(
                line,
                name + ": expected a whole number "
                        + (isTooLarge ? "up to " + Integer.MAX_VALUE : "above 0")
                        + ", found '" + text + "'");
        return 1;
    }

    private int whole(String text, int column, int line) {
        Optional<BigInteger> value = PythonText.integer(text).filter(each -> each.bitLength() < Integer.SIZE);
        if (value.isEmpty()) {
            problem(line, "column " + (column + 1) + ": expected a whole number, found '" + text + "'");
        }
        return value.map(BigInteger::intValue).orElse(1);
    }

    /** Parses the ratio like version 3: splits the last cell and uses the first two numbers after the stride. */
    private int[] lastRatio(List<String> cells, int line) {
        int last = cells.size() - 1;
        int[] ratio = last < CONV_COLUMNS ? new int[] {1, 1} : ratio(cells, last, line);
        IntStream between = IntStream.range(CONV_COLUMNS, last).map(i -> whole(cells.get(i), i, line));
        return IntStream.concat(between, Arrays.stream(ratio)).toArray();
    }

    private int[] ratio(List<String> cells, int column, int line) {
        boolean isVersion3 = compat == ScaleSimCompat.V3;
        if (compat == ScaleSimCompat.V2
                || cells.size() <= column
                || (cells.get(column).isEmpty() && !isVersion3)) {
            return new int[] {1, 1};
        }
        String[] parts = cells.get(column).split(":", -1);
        if (isVersion3 && parts.length > 1) {
            // The number of kept weights is checked only if filters are sparse.
            return new int[] {whole(parts[0], column, line), whole(parts[1], column, line)};
        }
        if (parts.length != 2) {
            problem(
                    line,
                    "expected a sparsity ratio such as 2:4" + (isGemm ? ", or products such as x16" : "") + ", found '"
                            + cells.get(column) + "'");
            return new int[] {1, 1};
        }
        int kept = size(parts[0].strip(), "sparsity", line);
        int block = size(parts[1].strip(), "sparsity", line);
        if (kept > block) {
            problem(line, "sparsity " + cells.get(column) + " keeps more weights than a block has");
        }
        return new int[] {kept, block};
    }
}
