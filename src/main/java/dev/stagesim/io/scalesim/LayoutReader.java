package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.LayoutOrder;
import dev.stagesim.sim.systolic.MemoryMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads layout tables; the first row alone counts, for all layers. */
public final class LayoutReader {
    private static final String CATEGORY = "layout error";
    private static final int COLUMNS = 21;
    private static final int FACTORS = 6;

    private LayoutReader() {}

    /** Gives an array the custom layouts that its description asks for. */
    public static ArraySpec apply(ArrayFile described, ArraySpec array, Path file) throws IOException {
        if (!described.needsLayout()) {
            return array;
        }
        boolean isUsed = array.mode() == MemoryMode.USER;
        if (isUsed
                && array.compat() == Compat.V3
                && described.hasImageLayout()
                && array.image().offset() != 0) {
            throw problem(
                    file,
                    "version 3 leaves IfmapOffset out of a custom layout and then looks for words in vain; set it to"
                            + " 0");
        }
        List<Integer> row = firstRow(file);
        LayoutOrder image =
                new LayoutOrder(List.of(row.get(0), row.get(1), row.get(4)), order(row, FACTORS + 3, FACTORS, 3, file));
        LayoutOrder filter = new LayoutOrder(
                List.of(row.get(5), row.get(4), row.get(2), row.get(3)),
                order(row, FACTORS + 10, FACTORS + 6, 4, file));
        if (described.hasImageLayout() && image.words() > array.image().bandwidth()) {
            throw problem(file, "a line of " + image.words() + " image words is wider than the bandwidth");
        }
        if (described.hasFilterLayout() && filter.words() != array.filter().bandwidth()) {
            throw problem(file, "a line of " + filter.words() + " filter words must equal the bandwidth");
        }
        return array.withLayouts(
                isUsed && described.hasImageLayout() ? Optional.of(image) : Optional.empty(),
                isUsed && described.hasFilterLayout() ? Optional.of(filter) : Optional.empty());
    }

    private static List<Integer> firstRow(Path file) throws IOException {
        List<String> lines = Files.isRegularFile(file) ? TextLines.read(file, CATEGORY) : List.of();
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i).isBlank()) {
                continue;
            }
            String[] cells = lines.get(i).strip().split(",", -1);
            List<Integer> row = new ArrayList<>();
            for (int column = 1; column < COLUMNS && column < cells.length; column++) {
                row.add(number(cells[column].strip(), column, file + ":" + (i + 1)));
            }
            if (row.size() < COLUMNS - 1) {
                throw problem(
                        file.resolveSibling(file.getFileName() + ":" + (i + 1)),
                        "expected " + COLUMNS + " columns, found " + cells.length);
            }
            return row;
        }
        throw problem(file, "the array asks for a custom layout, and there is no row that gives one");
    }

    private static int number(String text, int column, String where) {
        try {
            int value = Integer.parseInt(text);
            if (value >= (column <= FACTORS ? 1 : 0)) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below.
        }
        throw StageException.input(Problem.of(
                CATEGORY, where, "column " + (column + 1) + ": expected a whole number, found '" + text + "'"));
    }

    /** Axes between lines, then axes within a line; each of the {@code 2 * axes} must occur once. */
    private static List<Integer> order(List<Integer> row, int between, int within, int axes, Path file) {
        List<Integer> order = new ArrayList<>(row.subList(between, between + axes));
        order.addAll(row.subList(within, within + axes));
        if (order.stream().distinct().count() != 2L * axes || order.stream().anyMatch(axis -> axis >= 2 * axes)) {
            throw problem(file, "an order must name each of the axes 0 to " + (2 * axes - 1) + " once, found " + order);
        }
        return order;
    }

    private static StageException problem(Path where, String what) {
        return StageException.input(Problem.of(CATEGORY, where.toString(), what));
    }
}
