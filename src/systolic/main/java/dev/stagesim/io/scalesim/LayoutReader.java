package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayoutOrder;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads layout tables. Only the first row is used, for all layers. */
public final class LayoutReader {
    private static final String CATEGORY = "layout error";
    private static final int COLUMNS = 21;
    private static final int FACTORS = 6;
    private static final int CHANNELS = 4;
    private static final List<Integer> IMAGE_FACTORS = List.of(0, 1, CHANNELS);
    private static final List<Integer> FILTER_FACTORS = List.of(5, CHANNELS, 2, 3);

    private LayoutReader() {}

    /** Returns the array with the custom layouts that its description requires. */
    public static ArraySpec apply(ArrayFile described, ArraySpec array, Path file) throws IOException {
        if (!described.needsLayout()) {
            return array;
        }
        boolean isUsed = array.mode() == MemoryMode.USER;
        boolean isVersion3 = array.compat() == ScaleSimCompat.V3;
        List<Integer> row = firstRow(file, isVersion3);
        // Version 3 reads only the columns of the layouts in use.
        Optional<LayoutOrder> image = described.hasImageLayout() || !isVersion3
                ? Optional.of(layout(row, IMAGE_FACTORS, FACTORS + 3, FACTORS, file))
                : Optional.empty();
        Optional<LayoutOrder> filter = described.hasFilterLayout() || !isVersion3
                ? Optional.of(layout(row, FILTER_FACTORS, FACTORS + 10, FACTORS + 6, file))
                : Optional.empty();
        if (described.hasImageLayout()
                && image.orElseThrow().words() > array.image().bandwidth()) {
            throw problem(file, "a line of " + image.get().words() + " image words is wider than the bandwidth");
        }
        if (described.hasFilterLayout()
                && filter.orElseThrow().words() != array.filter().bandwidth()) {
            throw problem(file, "a line of " + filter.get().words() + " filter words must equal the bandwidth");
        }
        return array.withLayouts(
                image.filter(used -> isUsed && described.hasImageLayout()),
                filter.filter(used -> isUsed && described.hasFilterLayout()));
    }

    /**
     * Returns the first row. Version 3 reads all rows up to their last comma, and assumes one channel in depth-wise
     * rows.
     */
    private static List<Integer> firstRow(Path file, boolean isVersion3) throws IOException {
        List<String> lines = Files.isRegularFile(file) ? TextLines.read(file, CATEGORY) : List.of();
        List<List<Integer>> rows = new ArrayList<>();
        for (int i = 1; i < lines.size() && (isVersion3 || rows.isEmpty()); i++) {
            if (lines.get(i).isBlank()) {
                continue;
            }
            String[] cells = lines.get(i).strip().split(",", -1);
            List<Integer> row = new ArrayList<>();
            for (int column = 1; column < (isVersion3 ? cells.length - 1 : Math.min(COLUMNS, cells.length)); column++) {
                int minimum = isVersion3 ? Integer.MIN_VALUE : column <= FACTORS ? 1 : 0;
                row.add(number(cells[column], column, file + ":" + (i + 1), minimum));
            }
            if (!isVersion3 && row.size() < COLUMNS - 1) {
                throw problem(
                        file.resolveSibling(file.getFileName() + ":" + (i + 1)),
                        "expected " + COLUMNS + " columns, found " + cells.length);
            }
            if (isVersion3 && cells[0].contains("DP") && row.size() > CHANNELS) {
                row.set(CHANNELS, Math.min(1, row.get(CHANNELS)));
            }
            rows.add(row);
        }
        return rows.stream()
                .findFirst()
                .orElseThrow(() -> problem(file, "the array uses a custom layout, but the table has no row"));
    }

    private static int number(String text, int column, String where, int minimum) {
        return PythonText.integer(text)
                .filter(value -> value.bitLength() < Integer.SIZE && value.intValue() >= minimum)
                .map(BigInteger::intValue)
                .orElseThrow(() -> StageException.input(Problem.of(
                        CATEGORY,
                        where,
                        "column " + (column + 1) + ": expected a whole number, found '" + text.strip() + "'")));
    }

    /** Returns the words per line along each axis, and the order of the axes between and within lines. */
    private static LayoutOrder layout(List<Integer> row, List<Integer> factors, int between, int within, Path file) {
        int axes = factors.size();
        if (row.size() < Math.max(between, within) + axes) {
            throw problem(file, "expected " + COLUMNS + " columns, found " + (row.size() + 2));
        }
        List<Integer> sizes = factors.stream().map(row::get).toList();
        List<Integer> order = new ArrayList<>(row.subList(between, between + axes));
        order.addAll(row.subList(within, within + axes));
        // A negative axis counts from the end.
        order.replaceAll(axis -> axis < 0 ? axis + 2 * axes : axis);
        if (order.stream().distinct().count() != 2L * axes
                || order.stream().anyMatch(axis -> axis < 0 || axis >= 2 * axes)) {
            throw problem(file, "an order must name each of the axes 0 to " + (2 * axes - 1) + " once, found " + order);
        }
        if (sizes.stream().anyMatch(size -> size < 1)) {
            throw problem(file, "expected factors of at least 1, found " + sizes);
        }
        return new LayoutOrder(sizes, order);
    }

    private static StageException problem(Path where, String what) {
        return StageException.input(Problem.of(CATEGORY, where.toString(), what));
    }
}
