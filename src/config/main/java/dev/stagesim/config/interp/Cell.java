package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node with its position in the tree and, after evaluation, its value. Cells are compared by identity. */
final class Cell {
    private final Node raw;
    private final @Nullable Cell parent;
    private final String key;
    private @Nullable Map<String, Cell> children;
    private @Nullable Datum value;
    private @Nullable InterpolationException failure;

    Cell(Node raw, @Nullable Cell parent, String key) {
        this.raw = raw;
        this.parent = parent;
        this.key = key;
    }

    static Cell root(MapNode tree) {
        return new Cell(tree, null, "");
    }

    Node raw() {
        return raw;
    }

    @Nullable
    Cell parent() {
        return parent;
    }

    boolean isMissing() {
        return raw instanceof ScalarNode scalar && scalar.isMissing();
    }

    /** Returns the children by key, or by index for lists. */
    Map<String, Cell> children() {
        Map<String, Cell> cells = children;
        if (cells == null) {
            cells = new LinkedHashMap<>();
            if (raw instanceof MapNode map) {
                for (Map.Entry<String, Node> entry : map.entries().entrySet()) {
                    cells.put(entry.getKey(), new Cell(entry.getValue(), this, entry.getKey()));
                }
            } else if (raw instanceof ListNode list) {
                List<Node> items = list.items();
                for (int i = 0; i < items.size(); i++) {
                    cells.put(Integer.toString(i), new Cell(items.get(i), this, Integer.toString(i)));
                }
            }
            children = cells;
        }
        return cells;
    }

    /** Returns the dotted path from the root. */
    String path() {
        String above = parent == null ? "" : parent.path();
        return above.isEmpty() ? key : above + "." + key;
    }

    Cell root() {
        return parent == null ? this : parent.root();
    }

    @Nullable
    Datum value() {
        return value;
    }

    void remember(Datum evaluated) {
        value = evaluated;
    }

    @Nullable
    InterpolationException failure() {
        return failure;
    }

    void remember(InterpolationException failed) {
        failure = failed;
    }
}
